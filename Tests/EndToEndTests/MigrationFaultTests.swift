import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("migrations that are killed, or have no room")
struct MigrationFaultTests {
    @Test("killed ten times at any moment, it goes on until everything is in, once")
    func kills() async throws {
        let world = try await MigrationStage(1...200)
        var chance = Chance.announced(for: "migrations that are killed")
        for id in 1...200 { try world.file("\(id).mp4", TestContent(seed: UInt64(id), size: 20_000).all) }
        try world.file("1.mp4", TestContent(seed: 1, size: 30_000_000).all)
        try world.list((1...200).map { "c,\($0),\($0).mp4,finished," })
        let before = try world.source()
        for _ in 1...10 {
            let delay = Duration.milliseconds(Int.random(in: 10...600, using: &chance))
            _ = try await world.migrate { running in
                let pid = try await running.pid()
                try await Task.sleep(for: delay)
                kill(pid, SIGKILL)
            }
        }
        let last = try await world.migrate()
        #expect(last.exit == 0, "seed \(chance.seed): \(last.outcome.report)")
        #expect(last.records.allSatisfy { ["added", "duplicate"].contains($0.result) })
        #expect(try world.source() == before)
        let files = LibraryFiles(world.stage.library)
        #expect(files.paths.count == 200, "seed \(chance.seed)")
        for (path, digest) in files.digests {
            let id = path.split(separator: " ").last?.split(separator: ".").first.flatMap { Int($0) } ?? 0
            #expect(digest == TestContent(seed: UInt64(id), size: id == 1 ? 30_000_000 : 20_000).sha256Text, "\(path)")
        }
        #expect(try world.stage.strays() == [], "seed \(chance.seed)")
        let sync = try await world.stage.sync()
        #expect(sync.exit == 0 && world.host.requests().isEmpty, "\(sync.report)")
        await world.host.stop()
    }

    @Test(
        "a full disk ends it with 73, and once there is room it goes on; a source that can only be read is enough",
        .enabled("no private mounts on this machine") { try await Tool.unshare.run(["--mount", "true"]).isSuccess })
    func full() async throws {
        let world = try await MigrationStage(1...20)
        for id in 1...20 { try world.video(id) }
        try world.list((1...20).map { "c,\($0),\($0).mp4,finished," })
        try world.stage.folder.make("library")
        let stage = world.stage
        let outcome = try await Program.run(
            [
                "unshare", "--mount", "sh", "-c",
                """
                place=$1; old=$2; shift 2
                mount --bind "$old" "$old" && mount -o remount,ro,bind "$old"
                mount -t tmpfs -o size=2m none "$place"
                "$@" || echo "first $?" >&2
                mount -o remount,size=64m "$place"
                "$@" && echo "second $?" >&2
                cp -r "$place" "$place.copy"
                """, "sh", stage.library.string, stage.folder.at("old").string,
                Built.executable("coursefetch").string, "migrate", "manifest", stage.folder.at("old/list.csv").string,
                "--catalog", stage.folder.at("catalog.yaml").string, "--library", stage.library.string, "--state",
                stage.state.string,
            ], in: stage.folder)
        #expect(outcome.error.contains("first 73"), "\(outcome.report)\(outcome.output)")
        #expect(outcome.error.contains("second 0"), "\(outcome.report)\(outcome.output)")
        let right = (1...20).map { MigrationStage.content($0).sha256Text }
        #expect(LibraryFiles(stage.folder.at("library.copy")).digests.values.sorted() == right.sorted())
        await world.host.stop()
    }

    @Test(
        "files of another disk can't be linked: they fail, also in a dry run; --move copies them",
        .enabled("no private mounts on this machine") { try await Tool.unshare.run(["--mount", "true"]).isSuccess })
    func otherDisk() async throws {
        let world = try await MigrationStage(1...2)
        for id in 1...2 { try world.video(id) }
        try world.list((1...2).map { "c,\($0),\($0).mp4,finished," })
        let stage = world.stage
        try stage.folder.make("library")
        let outcome = try await Program.run(
            [
                "unshare", "--mount", "sh", "-c",
                """
                place=$1; shift
                mount -t tmpfs -o size=64m none "$place"
                "$@" --link --dry-run; "$@" --link; "$@" --move --remove-source
                cp -r "$place" "$place.copy"
                """, "sh", stage.library.string, Built.executable("coursefetch").string, "migrate", "manifest",
                stage.folder.at("old/list.csv").string, "--catalog", stage.folder.at("catalog.yaml").string, "--json",
                "--library", stage.library.string, "--state", stage.state.string,
            ], in: stage.folder)
        let results = try MigrationStage.report(outcome).results
        #expect(
            results == ["c/1", "c/2", "c/1", "c/2"].map { "\($0) failed other_file_system" } + [
                "c/1 added", "c/2 added",
            ],
            "\(outcome.report)\(outcome.output)")
        #expect(LibraryFiles(stage.folder.at("library.copy")).paths.count == 2)
        #expect(stage.folder.files(under: "old").isEmpty)
        await world.host.stop()
    }

    @Test("two at once: the second one waits for the first, and finds nothing to do")
    func two() async throws {
        let world = try await MigrationStage(1...30)
        for id in 1...30 { try world.video(id) }
        try world.list((1...30).map { "c,\($0),\($0).mp4,finished," })
        async let one = world.migrate(["--wait", "60s"])
        async let other = world.migrate(["--wait", "60s"])
        let reports = try await [one, other]
        #expect(reports.map(\.exit) == [0, 0], "\(reports.map(\.outcome.report))")
        #expect(reports.flatMap(\.records).count { $0.earlier == true } == 30)
        #expect(LibraryFiles(world.stage.library).paths.count == 30)
        await world.host.stop()
    }

    @Test(
        "a source that is a folder of the library in another place isn't removed",
        .enabled("no private mounts on this machine") { try await Tool.unshare.run(["--mount", "true"]).isSuccess })
    func mounted() async throws {
        let size = ["size: \(MigrationStage.size)"]
        let world = try await MigrationStage(1...2, extra: [1: size, 2: size])
        for id in 1...2 { try world.video(id) }
        let stage = world.stage
        let text = "layout: \"{course}/{id}.{ext}\"\n" + (stage.folder.read("catalog.yaml") ?? "")
        try stage.folder.write(text, to: "catalog.yaml")
        try stage.folder.make("library/Course")
        let outcome = try await Program.run(
            [
                "unshare", "--mount", "sh", "-c",
                "old=$1; place=$2; shift 2; mount --bind \"$old\" \"$place/Course\"; \"$@\"", "sh",
                stage.folder.at("old").string, stage.library.string, Built.executable("coursefetch").string, "migrate",
                "wget", stage.folder.at("old").string, "--catalog", stage.folder.at("catalog.yaml").string, "--move",
                "--remove-source", "--library", stage.library.string, "--state", stage.state.string,
            ], in: stage.folder)
        #expect(outcome.exit == 75, "\(outcome.report)\(outcome.output)")
        let right = (1...2).map { MigrationStage.content($0).sha256Text }
        let files = LibraryFiles(stage.folder.at("old"))
        #expect(right.allSatisfy(files.digests.values.contains), "\(outcome.output)")
        await world.host.stop()
    }

    @Test("a removal that is killed goes on: the list is its last file")
    func killedRemoval() async throws {
        let world = try await MigrationStage(1...3)
        for id in 1...3 { try world.video(id) }
        try world.list((1...3).map { "c,\($0),\($0).mp4,finished," })
        #expect(try await world.migrate().exit == 0)
        // As a kill leaves it.
        try world.stage.folder.remove("old/1.mp4")
        let report = try await world.migrate(["--remove-source"])
        #expect(report.exit == 0, "\(report.outcome.output)")
        #expect(world.stage.folder.files(under: "old").isEmpty)
        #expect(LibraryFiles(world.stage.library).paths.count == 3)
        await world.host.stop()
    }

    @Test("a file that changes while the source is being removed stays, with what comes after it")
    func changedRemoval() async throws {
        let world = try await MigrationStage(1...3)
        for id in 1...3 { try world.video(id) }
        try world.list((1...3).map { "c,\($0),\($0).mp4,finished," })
        #expect(try await world.migrate().exit == 0)
        let stage = world.stage
        let arguments = [
            "strace", "-f", "-o", "/dev/null", "-e", "trace=unlinkat", "-e",
            "inject=unlinkat:delay_exit=5000000:when=1",
            Built.executable("coursefetch").string, "migrate", "manifest", stage.folder.at("old/list.csv").string,
            "--catalog", stage.folder.at("catalog.yaml").string, "--remove-source", "--library", stage.library.string,
            "--state", stage.state.string,
        ]
        async let ending = Program.run(arguments, in: stage.folder)
        // The first removal ends five seconds after it was made: the second file changes meanwhile.
        for _ in 0..<3000 where stage.folder.has("old/1.mp4") { try await Task.sleep(for: .milliseconds(10)) }
        try world.file("2.mp4", MigrationStage.content(9).all)
        let outcome = try await ending
        #expect(outcome.exit == 75, "\(outcome.report)\(outcome.output)")
        #expect(LibraryFiles(stage.folder.at("old")).digests["2.mp4"] == MigrationStage.content(9).sha256Text)
        #expect(stage.folder.has("old/list.csv"))
        await world.host.stop()
    }
}
