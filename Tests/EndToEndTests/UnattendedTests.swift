import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("unattended syncs")
struct UnattendedTests {
    /// A catalog of this many videos of so many bytes each.
    private func stage(_ host: FaultHost, videos: Int, size: Int, query: String = "") throws -> Stage {
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/\(size).mp4" + query),
                videos: (1...videos).map { CatalogText.Video(id: "\($0)") }))
        return stage
    }

    @Test("--max-transfer: the run ends with 75 and reason quota, and the next one continues at the same byte")
    func quota() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 4, size: 600_000)
        let first = try await stage.sync("catalog.yaml", ["--max-transfer", "1000K"])
        #expect(first.exit == 75, "\(first.report)")
        #expect(first.summary?.stopReason == "quota")
        #expect(!first.events("download_suspended").isEmpty)
        #expect(first.events("download_suspended").allSatisfy { $0.reason == "quota" })
        let rows = try stage.stateCopy().rows("SELECT state, durable_bytes FROM downloads")
        let bytes = rows.reduce(0) { sum, row in
            sum + (row["state"] == "finished" ? 600_000 : Int(row["durable_bytes"] ?? "") ?? 0)
        }
        #expect(bytes >= 1_024_000 && bytes < 1_100_000, "all that was counted is kept: \(bytes)")
        let second = try await stage.sync("catalog.yaml", ["--max-transfer", "10M"])
        #expect(second.exit == 0, "\(second.report)")
        #expect(second.summary?.stopReason == nil && second.summary?.bytes == 2_400_000 - bytes)
        let right = (1...4).map { TestContent(seed: $0, size: 600_000).sha256Text }
        #expect(LibraryFiles(stage.library).digests.values.sorted() == right.sorted())
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a quota that the last byte uses up leaves nothing to do: 0")
    func exactQuota() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 1, size: 4096)
        let outcome = try await stage.sync("catalog.yaml", ["--max-transfer", "4K"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths.count == 1)
        await host.stop()
    }

    @Test("a window that is closed before the start is a mistake: 64, and nothing begins")
    func closedWindow() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 2, size: 3000)
        for options in [["--until", "2026-01-01T06:00:00+01:00"], ["--max-duration", "0s"]] {
            let outcome = try await stage.sync("catalog.yaml", options)
            #expect(outcome.exit == 64 && outcome.error.contains("error: \(options[0]) "), "\(outcome.report)")
        }
        #expect(host.requests().isEmpty)
        await host.stop()
    }

    @Test("--min-free-space that the disk doesn't have: 73, and nothing is requested, sidecars included")
    func noFreeSpace() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 3, size: 3000)
        let outcome = try await stage.sync("catalog.yaml", ["--min-free-space", "4000000T"])
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(host.requests().isEmpty && outcome.events("download_started").isEmpty)
        let message = outcome.summary?.errors?.first?.message ?? ""
        #expect(message.contains("--min-free-space"), "\(message)")
        #expect(try Set(stage.stateCopy().states().values) == ["waiting"])
        let next = try await stage.sync("catalog.yaml", ["--min-free-space", "1B"])
        #expect(next.exit == 0, "\(next.report)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("downloads that don't fit wait with reason disk, and those that fit are downloaded")
    func tooLarge() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/3000.mp4"),
                videos: [.init(id: "1", extra: ["size: 9000000000000000", "priority: high"]), .init(id: "2")]))
        let outcome = try await stage.sync("catalog.yaml", ["--min-free-space", "0"])
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(outcome.events("download_suspended").map(\.video) == ["1"])
        #expect(outcome.events("download_suspended").map(\.reason) == ["disk"])
        #expect(host.requests().map(\.path) == ["/media/2/3000.mp4"])
        #expect(try stage.stateCopy().states() == ["1": "suspended", "2": "finished"])
        await host.stop()
    }

    @Test("--report and --on-finish: of a successful run, a failed one, and one that never began")
    func report() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/3000.mp4"),
                videos: [
                    .init(id: "1"),
                    .init(
                        id: "2", title: "Two",
                        extra: ["parameters: {url: \"\(host.url("/media/2/9.mp4?status=500"))\"}"]),
                ]))
        try stage.folder.write("version: 1\ncourses: [{}]\n", to: "wrong.yaml")
        let report = stage.folder.at("report.json")
        let options = [
            "--report", report.string, "--on-finish", "jq -c .exit >> '\(stage.folder.at("exits"))'; echo said; exit 9",
        ]
        let good = try await stage.sync("catalog.yaml", ["--only", "c/*/1"] + options)
        #expect(good.exit == 0, "\(good.report)")
        #expect(good.error == "said\nwarning: the command of --on-finish ended with exit code 9\n")
        let first = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: report.string)))
        #expect(first.exit == 0 && first.finished_now == 1 && first.bytes == 3000 && first.failures == [])
        #expect(first.user?.isEmpty == false && first.catalogs.count == 1 && first.started <= first.ended)

        let bad = try await stage.sync("catalog.yaml", ["--retries", "1"] + options)
        #expect(bad.exit == 1, "\(bad.report)")
        let second = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: report.string)))
        #expect(second.exit == 1 && second.failures.map(\.selector) == ["c/*/2"])

        let refused = try await stage.sync("wrong.yaml", options)
        #expect(refused.exit == 65)
        let third = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: report.string)))
        #expect(third.exit == 65 && third.errors.isEmpty == false)
        // Two that never begin for other reasons.
        try FileManager.default.removeItem(atPath: stage.library.appending(".coursefetch/library.json").string)
        #expect(try await stage.sync("catalog.yaml", options).exit == 73)
        #expect(try await stage.sync("catalog.yaml", ["--user", "bob"] + options).exit == 77)
        #expect(stage.folder.read("exits") == "0\n1\n65\n73\n77\n")

        let rehearsed = try await stage.sync("catalog.yaml", ["--dry-run", "--user", "carol"] + options)
        #expect(stage.folder.read("exits") == "0\n1\n65\n73\n77\n", "\(rehearsed.report)")
        await host.stop()
    }

    /// The fields of the report that readers rely on.
    private struct Report: Decodable {
        struct Failure: Decodable, Equatable { var selector: String }
        struct Located: Decodable { var message: String }
        var user: String?
        var catalogs: [String]
        var started: String
        var ended: String
        var exit: Int
        var finished_now: Int
        var bytes: Int
        var failures: [Failure]
        var errors: [Located]
    }

    @Test("--wait: the second sync names the one that it waits for, and runs when that has ended")
    func wait() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 1, size: 400_000, query: "?stall=200000&times=1")
        let first = try await stage.sync { running in
            try await running.wait { $0.event == "download_started" }
            let pid = try await running.pid()
            let second = try await stage.sync("catalog.yaml", ["--wait", "10m"]) { waiting in
                try await waiting.wait { $0.event == "lock_waiting" }
                #expect(waiting.events.map(\.event) == ["lock_waiting"])
                #expect(waiting.events.first?.pid == Int(pid))
                #expect(waiting.events.first?.catalogs == [stage.folder.at("catalog.yaml").string])
                try await running.signal(SIGTERM)
            }
            #expect(second.exit == 0, "\(second.report)")
            #expect(second.events("lock_waiting").count == 1)
        }
        #expect(first.exit == 75, "\(first.report)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test(
        "a sync that waits for another one ends at a signal, or when its own window closes: 75",
        arguments: [true, false])
    func waitEnds(bySignal: Bool) async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 1, size: 400_000, query: "?stall=200000&times=1")
        let first = try await stage.sync { running in
            try await running.wait { $0.event == "download_started" }
            // Without --wait, off a terminal: an hour.
            let second = try await stage.sync("catalog.yaml", bySignal ? [] : ["--max-duration", "5s"]) { waiting in
                try await waiting.wait { $0.event == "lock_waiting" }
                if bySignal { try await waiting.signal(SIGTERM) }
            }
            #expect(second.exit == 75, "\(second.report)")
            #expect(second.events.map(\.event) == ["lock_waiting", "sync_finished"])
            #expect(second.seconds < 50)
            try await running.signal(SIGTERM)
        }
        #expect(first.exit == 75, "\(first.report)")
        await host.stop()
    }

    @Test(
        "a signal ends the command of --on-finish with all its children; the sync keeps its exit code",
        arguments: [[SIGTERM], [SIGINT, SIGINT]])
    func stoppedCommand(signals: [Int32]) async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 1, size: 3000)
        // It isn't ended by the first signal where a second one is to come: KILL follows two seconds later.
        let deaf = signals.count > 1 ? "trap '' TERM; " : ""
        let options = ["--on-finish", deaf + "sleep 600 & echo > began; wait"]
        let outcome = try await stage.sync("catalog.yaml", options) { running in
            try await running.wait { $0.event == "sync_finished" }
            for _ in 0..<1000 where !stage.folder.has("began") { try await Task.sleep(for: .milliseconds(10)) }
            for signal in signals {
                try await running.signal(signal)
                // Two of a kind at once would be one.
                try await Task.sleep(for: .milliseconds(700))
            }
        }
        #expect(outcome.exit == (signals.count == 1 ? 0 : 130), "\(outcome.report)")
        #expect(signals.count > 1 || outcome.error.contains("was stopped because coursefetch was stopped"))
        _ = try await ProcessTable.end(of: ProcessTable.now().within(stage.folder.path))
        #expect(ProcessTable.now().within(stage.folder.path) == [])
        await host.stop()
    }

    @Test("--watch compares again when a catalog changes, and writes a report after each pass")
    func watch() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 1, size: 3000)
        let options = [
            "--watch", "--report", stage.folder.at("report.json").string, "--on-finish",
            "jq -c .finished_now >> '\(stage.folder.at("commands"))'",
        ]
        let outcome = try await stage.sync("catalog.yaml", options) { running in
            try await running.wait { $0.event == "sync_resting" }
            try stage.catalog(
                CatalogText(url: host.url("/media/{id}/3000.mp4"), videos: [.init(id: "1"), .init(id: "2")]))
            try await running.wait { $0.event == "download_finished" && $0.video == "2" }
            while running.events.count(where: { $0.event == "sync_resting" }) < 2 {
                try await Task.sleep(for: .milliseconds(20))
            }
            for _ in 0..<500 where try finishedInAll(stage) != 2 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try finishedInAll(stage) == 2)
            #expect(!stage.folder.has("commands"), "the command is for the end of the run")
            try await running.signal(SIGTERM)
        }
        #expect(outcome.exit == 75 || outcome.exit == 0, "\(outcome.report)")
        #expect(stage.folder.has("commands"))
        #expect(try stage.strays() == [])
        await host.stop()
    }

    /// How many finished downloads the report counts.
    private func finishedInAll(_ stage: Stage) throws -> Int? {
        guard let text = stage.folder.read("report.json") else { return nil }
        return try JSONDecoder().decode(Counts.self, from: Data(text.utf8)).downloads["finished"]
    }

    private struct Counts: Decodable { var downloads: [String: Int] }

    @Test("a timetable applies from the start")
    func timetable() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, videos: 1, size: 300_000)
        let slow = try await stage.sync("catalog.yaml", ["--bwlimit", "00:00,100K 12:00,100K"])
        #expect(slow.exit == 0, "\(slow.report)")
        #expect(slow.seconds > 2)
        await host.stop()
    }
}
