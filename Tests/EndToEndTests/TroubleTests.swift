import Foundation
import Synchronization
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("states, libraries and disks that can't be used")
struct TroubleTests {
    @Test("a state whose creation was cut short, as on a full disk, counts as none; no other version is blamed")
    func notMade() async throws {
        let (stage, host) = try await synced()
        let file = try #require(stage.folder.names().first { $0.hasSuffix("state.sqlite") })
        try stage.folder.remove("state")
        try stage.folder.remove("library")
        try stage.folder.write("", to: file)
        let status = try await stage.command(["status"])
        #expect(status.exit == 0 && !status.output.contains("version"), "\(status.report)")
        let dry = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(dry.exit == 0, "\(dry.report)")
        let doctor = try await stage.run(["doctor"])
        #expect(doctor.exit == 1 && doctor.output.contains("state.sqlite is incomplete"), "\(doctor.report)")
        #expect(!doctor.output.contains("older"), "\(doctor.report)")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0 && !outcome.events("download_finished").isEmpty, "\(outcome.report)")
        await host.stop()
    }

    @Test("an empty catalog name is reported as such, as is nothing to forget; neither makes a state")
    func nothingNamed() async throws {
        let stage = try Stage()
        for command in [["check", ""], ["sync", ""], ["resolve", "", "c"]] {
            let outcome = try await Program.coursefetch(command, in: stage.folder)
            #expect(
                outcome.exit == 64 && outcome.error.contains("the name of a catalog is empty"), "\(outcome.report)")
        }
        let forgotten = try await stage.command(["forget", "catalog.yaml"])
        #expect(
            forgotten.exit == 64
                && forgotten.error == "error: there is nothing to forget: no catalog has been synced yet\n",
            "\(forgotten.report)")
        #expect(!stage.folder.has("state"))
    }

    @Test("a library that is missing or another's: 73, with remedies, and nothing started")
    func marker() async throws {
        let (stage, host) = try await synced()
        let requests = host.requests().count
        try rename("library", "elsewhere", stage)
        let missing = try await stage.sync()
        #expect(missing.exit == 73, "\(missing.report)")
        let message = missing.summary?.errors?.first?.message ?? ""
        for way in ["nothing was started", "If its disk isn't mounted, mount it", "coursefetch library move"] {
            #expect(message.contains(way), "\(message)")
        }
        #expect(!message.contains("library adopt"), "there is nothing to adopt: \(message)")
        let status = try await stage.command(["status"])
        #expect(status.output.contains("the library \(stage.library) doesn't exist"), "\(status.output)")
        #expect(!stage.folder.has("library/Course"))

        // Another state's.
        let other = try Stage()
        try other.folder.write(stage.folder.read("catalog.yaml") ?? "", to: "catalog.yaml")
        #expect(try await other.sync().exit == 0)
        let foreign = try await stage.sync(library: other.library)
        #expect(foreign.exit == 73, "\(foreign.report)")
        #expect(foreign.summary?.errors?.first?.message.contains("coursefetch library adopt") == true)

        #expect(host.requests().count == requests * 2, "only the other stage's own sync")
        let moved = try await stage.run(
            ["library", "move", stage.folder.at("elsewhere").string], library: stage.folder.at("library"))
        #expect(moved.exit == 0, "\(moved.report)")
        let after = try await stage.sync(library: stage.folder.at("elsewhere"))
        #expect(after.exit == 0, "\(after.report)")
        #expect(after.events("download_started").isEmpty)
        await host.stop()
    }

    @Test("a library that disappears during a run: one error, the rest is suspended, 73; a new one is adopted")
    func lostLibrary() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...8).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/200000.mp4"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "2", "--limit-rate", "100K"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 0 }
            // The running sync may still write into it.
            for _ in 0..<20 where stage.folder.has("library") { try? stage.folder.remove("library") }
        }
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(outcome.events("download_failed").isEmpty, "\(outcome.report)")
        #expect(!outcome.events("download_suspended").isEmpty)
        let errors = outcome.summary?.errors ?? []
        #expect(errors.count == 1 && errors[0].message.contains("doesn't exist"), "\(outcome.report)")
        let refused = try await stage.sync()
        #expect(refused.exit == 73 && refused.summary?.errors?.count == 1, "\(refused.report)")
        try stage.folder.make("library")
        #expect(try await stage.command(["library", "adopt"]).exit == 0)
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        #expect(LibraryFiles(stage.library).paths.count == 8)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    enum Damage: CaseIterable {
        case garbage, truncated, newer, folder, emptyFolderInTheWay
    }

    @Test(
        "a state that is damaged, newer or no file at all: 73, and nothing is overwritten", arguments: Damage.allCases)
    func state(_ damage: Damage) async throws {
        let (stage, host) = try await synced()
        let requests = host.requests().count
        let user = try #require(
            FileManager.default.contentsOfDirectory(atPath: stage.state.appending("users").string).first)
        let folder = "state/users/\(user)"
        let file = stage.folder.at("\(folder)/state.sqlite").string
        try? stage.folder.remove("\(folder)/state.sqlite-wal")
        try? stage.folder.remove("\(folder)/state.sqlite-shm")
        switch damage {
        case .garbage: try Data(TestContent(seed: 1, size: 40_000).all).write(to: URL(filePath: file))
        case .truncated:
            let bytes = try Data(contentsOf: URL(filePath: file))
            try bytes.prefix(bytes.count / 2 + 100).write(to: URL(filePath: file))
        case .newer:
            var bytes = try Data(contentsOf: URL(filePath: file))
            // The database header's user version, big-endian.
            bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
            try bytes.write(to: URL(filePath: file))
        case .folder:
            try stage.folder.remove("\(folder)/state.sqlite")
            try stage.folder.make("\(folder)/state.sqlite")
        case .emptyFolderInTheWay:
            try stage.folder.remove(folder)
            try stage.folder.write("in the way", to: folder)
        }
        let before = FileManager.default.contents(atPath: file)
        let files = LibraryFiles(stage.library).digests
        let outcome = try await stage.sync()
        #expect(outcome.exit == 73, "\(outcome.report)")
        let message = try #require(outcome.summary?.errors?.first?.message)
        #expect(message.contains("state"), "\(message)")
        if damage == .newer { #expect(message.contains("newer")) }
        if [.garbage, .truncated].contains(damage) { #expect(message.contains("damaged"), "\(message)") }
        #expect(FileManager.default.contents(atPath: file) == before)
        #expect(LibraryFiles(stage.library).digests == files)
        #expect(host.requests().count == requests)
        await host.stop()
    }

    @Test("two syncs of a user at once: the second names the first, and ends with 75")
    func twoAtOnce() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Goes on until it is told to stop.
        let url = host.url("/media/{id}/400000.mp4?stall=200000&times=1")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1")]))
        let first = try await stage.sync { running in
            try await running.wait { $0.event == "download_started" }
            let second = try await stage.sync("catalog.yaml", ["--wait", "0"])
            #expect(second.exit == 75, "\(second.report)")
            let message = second.summary?.errors?.first?.message ?? ""
            let pid = try await running.pid()
            #expect(message.contains("process \(pid)"), "\(message)")
            try await running.signal(SIGTERM)
        }
        #expect(first.exit == 75, "\(first.report)")
        let third = try await stage.sync()
        #expect(third.exit == 0, "\(third.report)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("two copies of a state: the second sync names the writer in the library, and ends with 75; a kill frees it")
    func twoStates() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let url = host.url("/media/{id}/400000.mp4?stall=200000&times=1")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1")]))
        let copy = stage.folder.at("copy")
        let first = try await stage.sync { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 0 }
            try await running.wait { $0.event == "progress" && $0.bytes == 200_000 }
            try FileManager.default.copyItem(atPath: stage.state.string, toPath: copy.string)
            let requests = host.requests().count
            let second = try await stage.sync("catalog.yaml", ["--wait", "0"], state: copy)
            #expect(second.exit == 75, "\(second.report)")
            let message = second.summary?.errors?.first?.message ?? ""
            let pid = try await running.pid()
            #expect(message.contains("is in use since") && message.contains("process \(pid) on"), "\(message)")
            let adopted = try await stage.run(["library", "adopt"], state: stage.folder.at("other"))
            #expect(adopted.exit == 75 && adopted.error.contains("process \(pid) on"), "\(adopted.report)")
            #expect(host.requests().count == requests)
            kill(pid, SIGKILL)
        }
        #expect(first.exit == 137, "\(first.report)")
        let third = try await stage.sync(state: copy)
        #expect(third.exit == 0, "\(third.report)")
        #expect(third.events("download_finished").first?.sha256 == TestContent(seed: 1, size: 400_000).sha256Text)
        await host.stop()
    }

    @Test(
        "TERM suspends within two seconds, the partial stays, and the next sync continues it",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func terminated(_ signal: Int32) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let content = TestContent(seed: 1, size: 700_000)
        let url = host.url("/media/{id}/700000.mp4?stall=400000&times=1")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
        let asked = Mutex(ContinuousClock.now)
        let stopped = try await stage.sync { running in
            try await running.wait { $0.event == "progress" && $0.video == "1" && ($0.bytes ?? 0) > 100_000 }
            asked.withLock { $0 = .now }
            try await running.signal(signal)
        }
        // Two seconds is for a machine that does nothing else; here other suites run beside it.
        #expect(ContinuousClock.now - asked.withLock { $0 } < .seconds(10))
        #expect(stopped.exit == 75, "\(stopped.report)")
        #expect(Set(stopped.events("download_suspended").map(\.reason)) == ["signal"])
        #expect(stopped.summary?.exit == 75)
        let rows = try stage.stateCopy().rows("SELECT state, reason, durable_bytes FROM downloads WHERE video = '1'")
        #expect(rows.first?["state"] == "suspended")
        let durable = try #require(rows.first?["durable_bytes"].flatMap { Int($0) })
        let told = stopped.events("progress", of: "1").compactMap(\.bytes).max() ?? .max
        #expect(durable >= told, "all that had arrived is recorded")
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        #expect(next.events("download_started", of: "1").first?.resumeFrom == durable)
        #expect(next.events("download_finished", of: "1").first?.sha256 == content.sha256Text)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a reader of the output that closes it does no harm")
    func closedOutput() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/60000.mp4"), videos: (1...12).map { CatalogText.Video(id: "\($0)") })
        )
        for options in ["--json", "--verbose"] {
            let library = stage.folder.at("library\(options)")
            let command = [
                Built.executable("coursefetch").string, "sync", stage.folder.at("catalog.yaml").string, options,
                "--library", library.string, "--state", stage.folder.at("state\(options)").string,
            ]
            let script = #""$@" | head -n 1; echo "${PIPESTATUS[0]}" >&2"#
            let outcome = try await Program.run(["bash", "-c", script, "bash"] + command, in: stage.folder)
            #expect(outcome.error.split(separator: "\n").last == "0", "\(outcome.report)")
            #expect(LibraryFiles(library).paths.count == 12)
        }
        await host.stop()
    }

    @Test("a file beyond the file system's limit fails alone and says why, and nothing that had arrived is lost")
    func tooLarge() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Small ones fit below the limit, the large one doesn't.
        let videos =
            (1...3).map { CatalogText.Video(id: "\($0)", extra: ["parameters: {size: 50000}"]) }
            + [CatalogText.Video(id: "4", extra: ["parameters: {size: 9000000}"])]
        try stage.catalog(CatalogText(url: host.url("/media/{id}/{size}.mp4"), videos: videos))
        let command = [
            Built.executable("coursefetch").string, "sync", stage.folder.at("catalog.yaml").string, "--json", "--jobs",
            "1",
            "--library", stage.library.string, "--state", stage.state.string,
        ]
        // 4 MiB for any one file: the write beyond fails, as it does with 4 GiB on a FAT disk.
        let limited = try await Program.run(
            ["bash", "-c", #"trap '' XFSZ; ulimit -f 4096; exec "$@""#, "bash"] + command, in: stage.folder)
        #expect(limited.exit == 1, "\(limited.report)")
        let failed = limited.events("download_failed")
        #expect(failed.map(\.video) == ["4"])
        #expect(failed.first?.error?.kind == "disk")
        #expect(failed.first?.error?.message.contains("doesn't allow a file of this size") == true)
        #expect(LibraryFiles(stage.library).paths.count == 3)
        #expect(try await stage.command(["retry", "c"]).exit == 0)
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        #expect(try #require(next.events("download_started", of: "4").first?.resumeFrom) > 1_000_000)
        #expect(
            next.events("download_finished", of: "4").first?.sha256 == TestContent(seed: 4, size: 9_000_000).sha256Text)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    // MARK: what they share

    private func synced() async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: videos))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        return (stage, host)
    }

    private func rename(_ from: String, _ to: String, _ stage: Stage) throws {
        try FileManager.default.moveItem(atPath: stage.folder.at(from).string, toPath: stage.folder.at(to).string)
    }
}
