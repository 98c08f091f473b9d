import Foundation
import Synchronization
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("from another terminal")
struct ControlTests {
    /// docs/invariants.md, row by row: the state after the command, and whether it was refused.
    static let table: [String: [String: (state: String, isRefused: Bool)]] = [
        "pause": [
            "waiting": ("paused", false), "active": ("paused", false), "paused": ("paused", false),
            "suspended": ("paused", false), "finished": ("finished", true), "failed": ("paused", false),
            "cancelled": ("cancelled", true),
        ],
        "resume": [
            "waiting": ("waiting", false), "active": ("active", false), "paused": ("waiting", false),
            "suspended": ("waiting", false), "finished": ("finished", true), "failed": ("failed", true),
            "cancelled": ("cancelled", true),
        ],
        "cancel": [
            "waiting": ("cancelled", false), "active": ("cancelled", false), "paused": ("cancelled", false),
            "suspended": ("cancelled", false), "finished": ("finished", true), "failed": ("cancelled", false),
            "cancelled": ("cancelled", false),
        ],
        "retry": [
            "waiting": ("waiting", false), "active": ("active", true), "paused": ("waiting", false),
            "suspended": ("waiting", false), "finished": ("waiting", false), "failed": ("waiting", false),
            "cancelled": ("waiting", false),
        ],
        "remove": [
            "waiting": ("cancelled", false), "active": ("cancelled", false), "paused": ("cancelled", false),
            "suspended": ("cancelled", false), "finished": ("cancelled", false), "failed": ("cancelled", false),
            "cancelled": ("cancelled", false),
        ],
    ]

    @Test("every cell of the state table, while a sync is running", arguments: table.keys.sorted())
    func live(_ verb: String) async throws {
        let scene = try await Scene()
        let outcome = try await scene.sync { running in
            let before = try scene.states()
            #expect(before == Scene.states, "\(before)")
            let command = try await scene.stage.command([verb, "--all"] + (verb == "remove" ? ["--yes"] : []))
            try scene.check(verb, command, Scene.states)
            try await running.signal(SIGTERM)
        }
        #expect([0, 1, 75, 77].contains(outcome.exit), "\(outcome.report)")
        // What was given up leaves nothing behind.
        let kept = try scene.stage.stateCopy().rows("SELECT id FROM downloads WHERE state <> 'cancelled'").count
        let partials = scene.stage.folder.names().count { $0.hasSuffix(".part") }
        #expect(verb == "cancel" || verb == "remove" ? partials == 0 : partials <= kept, "\(verb)")
        let movies = scene.stage.folder.names().count { $0.hasPrefix("library/") && $0.hasSuffix(".mp4") }
        #expect(movies == (verb == "remove" ? 0 : 1), "\(verb)")
        await scene.host.stop()
    }

    @Test("every cell of the state table, while no sync is running", arguments: table.keys.sorted())
    func atRest(_ verb: String) async throws {
        let scene = try await Scene()
        _ = try await scene.sync { try await $0.signal(SIGTERM) }
        var states = Scene.states
        states["active"] = "suspended"
        let before = try scene.states()
        #expect(before == states, "\(before)")
        let command = try await scene.stage.command([verb, "--all"] + (verb == "remove" ? ["--yes"] : []))
        try scene.check(verb, command, states)
        if verb == "pause" {
            // One that is named alone is told why, unless it is so already or needs no change.
            let named = try await scene.stage.command(["pause", "c/*/finished"])
            #expect(
                named.exit == 0 && named.error.isEmpty && named.output == "nothing to do: 'c/*/finished' is finished\n",
                "\(named.report)\(named.output)")
            let cancelled = try await scene.stage.command(["resume", "c/*/cancelled"])
            #expect(cancelled.exit == 1 && cancelled.error.contains("coursefetch retry"), "\(cancelled.report)")
            let paused = try await scene.stage.command(["pause", "c/*/paused"])
            #expect(paused.exit == 0 && paused.error.isEmpty, "\(paused.report)")
        }
        #expect(try scene.stage.stateCopy().rows("SELECT id FROM requests").isEmpty)
        await scene.host.stop()
    }

    @Test("rows of a killed sync are settled before a command changes them")
    func afterKill() async throws {
        let scene = try await Scene()
        _ = try await scene.sync { try await $0.signal(SIGKILL) }
        let command = try await scene.stage.command(["pause", "c/*/active"])
        #expect(command.exit == 0, "\(command.report)")
        let states = try scene.states()
        #expect(states["active"] == "paused" && states["suspended"] == "waiting", "\(states)")
        await scene.host.stop()
    }

    @Test("after pause and resume in one run, it continues at the same byte")
    func pauseAndResume() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(CatalogText(url: host.url("/media/{id}/9000000.mp4"), videos: [.init(id: "1")]))
        let outcome = try await stage.sync("catalog.yaml", ["--limit-rate", "100K", "--max-wait", "1s"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 200_000 }
            #expect(try await stage.command(["pause", "c"]).output == "1 video paused\n")
            // The run is over when nobody has resumed it for so long; a second video would keep it open.
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_paused").count == 1)
        let held = try stage.stateCopy().rows("SELECT durable_bytes AS bytes FROM downloads")
        let bytes = held.first.flatMap { $0["bytes"] }.flatMap { Int($0) } ?? 0
        #expect(bytes > 0)
        #expect(try await stage.sync().exit == 0)
        #expect(try stage.stateCopy().rows("SELECT state FROM downloads").first?["state"] == "paused")
        #expect(try await stage.command(["resume", "--paused"]).exit == 0)
        let last = try await stage.sync()
        #expect(last.exit == 0, "\(last.report)")
        #expect(last.events("download_started").first?.resumeFrom == bytes)
        await host.stop()
    }

    @Test("with everything paused the sync waits for a resume, says so, and continues where it stopped")
    func pauseEverything() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/9000000.mp4"), videos: (1...2).map { .init(id: "\($0)") }))
        let outcome = try await stage.sync("catalog.yaml", ["--limit-rate", "100K"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 50_000 }
            #expect(try await stage.command(["pause", "--all"]).exit == 0)
            try await running.wait { $0.event == "resume_waiting" }
            #expect(try await stage.command(["resume", "--paused"]).output == "2 videos resumed\n")
            #expect(try await stage.command(["set", "--limit-rate", "off"]).exit == 0)
        }
        #expect(outcome.exit == 0 && outcome.events("download_finished").count == 2, "\(outcome.report)")
        #expect(outcome.events("resume_waiting").count == 1 && outcome.events("resume_waiting")[0].until != nil)
        #expect(outcome.events("download_started").contains { ($0.resumeFrom ?? 0) > 0 }, "\(outcome.output)")
        await host.stop()
    }

    @Test("--now starts at once: the least important turn waits again, keeps its bytes and continues later")
    func now() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos: [CatalogText.Video] = [
            .init(id: "1", extra: ["parameters: {size: 9000000}"]),
            .init(id: "2", extra: ["parameters: {size: 50000}"]),
            .init(id: "3", extra: ["parameters: {size: 60000}"]),
        ]
        try stage.catalog(CatalogText(url: host.url("/media/{id}/{size}.mp4"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "1", "--limit-rate", "100K"]) { running in
            try await running.wait { $0.event == "progress" && $0.video == "1" && ($0.bytes ?? 0) > 0 }
            let command = try await stage.command(["prioritize", "c/*/3", "--to", "now"])
            #expect(command.exit == 0, "\(command.report)")
            #expect(try await stage.command(["set", "--limit-rate", "off"]).exit == 0)
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        // The digest of a large file may take longer than all of a small one that comes after it; and the provider's
        // answer for "2" may come first, so that it begins.
        let finished = outcome.events("download_finished").compactMap(\.video)
        #expect(finished.filter { $0 != "2" } == ["3", "1"] && finished.count == 3)
        #expect(outcome.events("download_started").compactMap(\.video).filter { $0 != "2" } == ["1", "3", "1"])
        #expect(outcome.events("download_waiting", of: "1").count == 1)
        let starts = outcome.events("download_started", of: "1")
        #expect(starts.count == 2 && (starts.last?.resumeFrom ?? 0) > 0, "\(outcome.report)")
        await host.stop()
    }

    @Test("set changes the rate and the number of downloads of the running sync; without one it says so")
    func set() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...4).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/4000000.mp4"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "1", "--limit-rate", "20K"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 0 }
            #expect(try await stage.command(["set", "--jobs", "4"]).exit == 0)
            try await running.wait { $0.event == "download_started" && $0.video == "4" }
            #expect(try await stage.command(["set", "--jobs", "1"]).exit == 0)
            try await running.wait { $0.event == "download_waiting" && $0.video == "2" }
            #expect(try await stage.command(["set", "--limit-rate", "off", "--jobs", "3"]).exit == 0)
        }
        // At the first rate it would take a quarter of an hour.
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_finished").count == 4)
        let refused = try await stage.command(["set", "--jobs", "2"])
        #expect(refused.exit == 64 && refused.error.contains("no sync"), "\(refused.report)")
        await host.stop()
    }

    @Test("waiting downloads are paused together with active ones, and never begin")
    func pauseAll() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...6).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/4000000.mp4?rate=60000"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "2", "--max-wait", "1s"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 0 }
            #expect(try await stage.command(["pause", "c"]).output == "6 videos paused\n")
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(Set(outcome.events("download_started").map(\.video)) == ["1", "2"])
        #expect(outcome.events("download_paused").count == 6)
        #expect(try stage.stateCopy().states().values.allSatisfy { $0 == "paused" })
        await host.stop()
    }

    @Test("many commands at once on the same downloads: each is carried out, none breaks the run")
    func manyAtOnce() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...8).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/4000000.mp4"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "3", "--limit-rate", "40K"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 0 }
            let commands = [
                ["prioritize", "c/*/5", "--to", "now"], ["pause", "c"], ["resume", "c"],
                ["prioritize", "c", "--to", "high"],
                ["set", "--jobs", "1"], ["pause", "c/*/[1-4]"], ["retry", "c"], ["resume", "c"],
                ["set", "--jobs", "4"],
            ]
            try await withThrowingTaskGroup(of: Outcome.self) { group in
                for command in commands { group.addTask { try await stage.command(command) } }
                // Without a sync there is nothing to set: all of it may have been paused just then.
                for try await command in group { #expect([0, 1, 64].contains(command.exit), "\(command.report)") }
            }
            // Whatever came last: the run goes on with something, or is over.
            #expect(try await stage.command(["resume", "--all"]).exit <= 1)
            #expect([0, 64].contains(try await stage.command(["set", "--limit-rate", "off", "--jobs", "8"]).exit))
        }
        #expect([0, 75].contains(outcome.exit), "\(outcome.report)")
        #expect(outcome.events("warning").isEmpty, "\(outcome.report)")
        // What the run's end was too early for comes with the next.
        let last = try await stage.sync()
        #expect(last.exit == 0, "\(last.report)")
        #expect(try stage.stateCopy().states().values.allSatisfy { $0 == "finished" })
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a file that can't be removed is reported, without other effects")
    func removeOdd() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/3000.mp4"), videos: videos))
        #expect(try await stage.sync().exit == 0)
        let path = stage.library.appending("Course/02 2.mp4").string
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let removed = try await stage.command(["remove", "--all", "--yes"])
        #expect(removed.exit == 0 && removed.error.contains("c/*/2"), "\(removed.report)")
        #expect(LibraryFiles(stage.library).paths.isEmpty)
        #expect(try stage.stateCopy().states().values.allSatisfy { $0 == "cancelled" })
        #expect(FileManager.default.fileExists(atPath: path))
        await host.stop()
    }

    @Test("a retry that is due while all slots are taken costs no processor time")
    func noBusyLoop() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos: [CatalogText.Video] = [
            .init(
                id: "1",
                extra: ["parameters: {url: \(CatalogText.quoted(host.url("/media/1/3000.mp4?cut=100&times=1")))}"]),
            .init(
                id: "2", extra: ["parameters: {url: \(CatalogText.quoted(host.url("/media/2/900000.mp4?rate=90000")))}"]
            ),
        ]
        try stage.catalog(CatalogText(videos: videos))
        let ticks = Mutex(0)
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "1"]) { running in
            let pid = try await running.pid()
            try await running.wait { $0.event == "progress" && $0.video == "2" && ($0.bytes ?? 0) > 200_000 }
            let before = ProcessTable.ticks(of: pid)
            try await running.wait { $0.event == "progress" && $0.video == "2" && ($0.bytes ?? 0) > 500_000 }
            ticks.withLock { $0 = ProcessTable.ticks(of: pid) - before }
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        // Three seconds are three hundred.
        #expect(ticks.withLock { $0 } < 60)
        await host.stop()
    }

    @Test("a selector without matches is an error with suggestions; a state without downloads is not")
    func nothing() async throws {
        let scene = try await Scene()
        _ = try await scene.sync { try await $0.signal(SIGTERM) }
        let wrong = try await scene.stage.command(["pause", "c/*/wating"])
        #expect(wrong.exit == 64 && wrong.error.contains("waiting"), "\(wrong.report)")
        #expect(try await scene.stage.command(["pause"]).exit == 64)
        let none = try await scene.stage.command(["resume", "--active"])
        #expect(none.exit == 0 && none.output.contains("nothing to do"), "\(none.report)")
        let unsure = try await scene.stage.command(["remove", "--all"])
        #expect(unsure.exit == 64 && unsure.error.contains("--yes"), "\(unsure.report)")
        await scene.host.stop()
    }

    /// A sync whose seven videos are in the seven states that they are called by, for as long as it runs.
    private struct Scene {
        static let states = Dictionary(uniqueKeysWithValues: order.map { ($0, $0) })
        private static let order = ["finished", "failed", "suspended", "active", "waiting", "paused", "cancelled"]

        let host: FaultHost
        let stage: Stage

        init() async throws {
            host = try await FaultHost.start()
            stage = try Stage()
            try stage.plugin(
                "closed",
                script: #"""
                    #!/bin/sh
                    exec jq -c --unbuffered '{id, error: {code: -32000, message: "log in", data: {kind: "auth_required"}}}'
                    """#)
            let videos = Self.order.enumerated().map { index, id in
                let seed = index + 1
                let url =
                    switch id {
                    case "finished": "/media/\(seed)/3000.mp4"
                    case "failed": "/media/\(seed)/3000.mp4?status=404"
                    default: "/media/\(seed)/4000000.mp4?rate=50000"
                    }
                var extra = ["priority: \(100 - index)", "parameters: {url: \(CatalogText.quoted(host.url(url)))}"]
                if id == "suspended" { extra.append("provider: closed") }
                return CatalogText.Video(id: id, extra: extra)
            }
            try stage.catalog(CatalogText(videos: videos))
        }

        func states() throws -> [String: String] {
            let rows = try stage.stateCopy().rows("SELECT video, state FROM downloads")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["video"] ?? "", $0["state"] ?? "") })
        }

        /// Runs it until all are in their states, then `body`.
        func sync(_ body: @Sendable (RunningProgram) async throws -> Void) async throws -> Outcome {
            try await stage.sync("catalog.yaml", ["--jobs", "1"]) { running in
                try await running.wait { $0.event == "progress" && $0.video == "active" && ($0.bytes ?? 0) > 0 }
                #expect(try await stage.command(["pause", "c/*/paused"]).exit == 0)
                #expect(try await stage.command(["cancel", "c/*/cancelled"]).exit == 0)
                // Its provider may be asked while another one has the slot.
                try await stage.waitForRow("video = 'suspended' AND state = 'suspended'")
                try await body(running)
            }
        }

        /// Whether a command did with each what the table says.
        func check(_ verb: String, _ command: Outcome, _ before: [String: String]) throws {
            let after = try states()
            var refused = 0
            for (video, state) in before {
                guard let cell = ControlTests.table[verb]?[state] else { throw TestFailure("no cell for \(state)") }
                // What may run again may have begun already.
                let isRight = after[video] == cell.state || (cell.state == "waiting" && after[video] == "active")
                #expect(isRight, "\(verb) \(video): \(after[video] ?? "?") instead of \(cell.state); \(command.report)")
                if cell.isRefused { refused += 1 }
            }
            // What was chosen with all is counted.
            #expect(command.exit == 0, "\(verb): \(command.report)")
            #expect(refused == 0 || command.output.contains("\(refused) unchanged: "), "\(command.output)")
            #expect(command.error.isEmpty, "\(verb): \(command.error)")
        }
    }
}
