import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("one user, through logouts, logins and signals")
struct WatchTests {
    @Test("a sync that watches stops at the logout, keeps the lock, and continues by itself after the login")
    func logoutAndLogin() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...4).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/4000000.mp4"), videos: videos))
        let options = ["--jobs", "2", "--watch", "--limit-rate", "60K"]
        let outcome = try await stage.sync("catalog.yaml", options, limit: 120) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 100_000 }
            #expect(try await stage.command(["pause", "c/*/4"]).exit == 0)
            let logout = try await stage.command(["logout"])
            #expect(logout.exit == 0, "\(logout.report)")
            // It rests with the lock in hand, and nothing is active.
            #expect(try stage.stateCopy().states().values.allSatisfy { $0 != "active" })
            try await running.wait { $0.event == "sync_resting" && $0.exit == 75 }
            let status = try await stage.command(["status"])
            #expect(status.output.contains("a sync waits for a login (process"), "\(status.output)")
            let second = try await stage.sync("catalog.yaml", ["--wait", "0s"])
            #expect(second.exit == 75, "\(second.report)")
            let login = try await stage.command(["login"])
            #expect(
                login.exit == 0 && login.output.contains("the waiting sync continues now"), "\(login.report)")
            let set = try await stage.command(["set", "--limit-rate", "off"])
            #expect(set.exit == 0 && set.output == "now in force: no limit for each download\n", "\(set.report)")
            try await running.wait { $0.event == "sync_resting" && $0.exit == 0 }
            #expect(
                try stage.stateCopy().states() == ["1": "finished", "2": "finished", "3": "finished", "4": "paused"])
            // Nobody has to wait for the next look.
            #expect(try await stage.command(["resume", "c/*/4"]).exit == 0)
            try await running.wait { $0.event == "download_finished" && $0.video == "4" }
            try await running.signal(SIGTERM)
        }
        #expect([0, 75].contains(outcome.exit), "\(outcome.report)")
        #expect(Set(outcome.events("download_finished").map(\.video)) == ["1", "2", "3", "4"])
        #expect(outcome.events("download_started").contains { ($0.resumeFrom ?? 0) > 0 }, "from the very byte")
        #expect(outcome.events.last?.event == "sync_finished")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a logout while it rests, and a signal: 75; paused downloads stay paused through logout and login")
    func resting() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(CatalogText(url: host.url("/media/{id}/3000.mp4"), videos: [.init(id: "1")]))
        let outcome = try await stage.sync("catalog.yaml", ["--watch"]) { running in
            try await running.wait { $0.event == "sync_resting" }
            #expect(try await stage.command(["logout"]).exit == 0)
            try await running.signal(SIGTERM)
        }
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(try await stage.sync().exit == 77)
        #expect(try await stage.command(["login"]).exit == 0)
        #expect(try await stage.sync().exit == 0)
        await host.stop()
    }

    @Test("a state that is unreadable between two passes is reported by the next pass; then the sync goes on")
    func unreadable() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let url = host.url("/media/{id}/3000.mp4")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1")]))
        let outcome = try await stage.sync("catalog.yaml", ["--watch", "--every", "1s"]) { running in
            try await running.wait { $0.event == "sync_resting" && $0.exit == 0 }
            try StateCopy.edit(stage.state, "ALTER TABLE session RENAME TO away")
            try await running.wait { $0.event == "sync_resting" && $0.exit != 0 }
            try StateCopy.edit(stage.state, "ALTER TABLE away RENAME TO session")
            try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
            try await running.wait { $0.event == "download_finished" && $0.video == "2" }
            try await running.signal(SIGTERM)
        }
        #expect([0, 75].contains(outcome.exit), "\(outcome.report)")
        await host.stop()
    }

    @Test(
        "a missing library pauses the watch with 73; once it is back the sync goes on by itself, and nothing has failed"
    )
    func libraryAway() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let url = host.url("/media/{id}/3000.mp4")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
        let outcome = try await stage.sync("catalog.yaml", ["--watch"], limit: 120) { running in
            try await running.wait { $0.event == "sync_resting" && $0.exit == 0 }
            try stage.folder.move("library", to: "away")
            try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2"), .init(id: "3")]))
            try await running.wait { $0.event == "sync_resting" && $0.exit == 73 }
            #expect(!stage.folder.has("library"), "nothing is made in its place")
            // A copy: the same marker, other folders.
            try FileManager.default.copyItem(atPath: stage.folder.at("away").string, toPath: stage.library.string)
            try await running.wait { $0.event == "download_finished" && $0.video == "3" }
            try await running.signal(SIGTERM)
        }
        #expect([0, 75].contains(outcome.exit), "\(outcome.report)")
        #expect(stage.folder.has("library/Course/03 3.mp4") && !stage.folder.has("away/Course/03 3.mp4"))
        #expect(
            outcome.events("download_finished").compactMap(\.video).sorted() == ["1", "2", "3"], "\(outcome.report)")
        #expect(outcome.events("download_failed").isEmpty)
        await host.stop()
    }

    @Test("a folder renamed between two passes gets no more files; the next video is stored under its recorded name")
    func renamedFolder() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let url = host.url("/media/{id}/3000.mp4")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1")]))
        let outcome = try await stage.sync("catalog.yaml", ["--watch"]) { running in
            try await running.wait { $0.event == "sync_resting" && $0.exit == 0 }
            try stage.folder.move("library/Course", to: "library/Kurs")
            try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
            try await running.wait { $0.event == "download_finished" && $0.video == "2" }
            try await running.signal(SIGTERM)
        }
        #expect([0, 75].contains(outcome.exit), "\(outcome.report)")
        #expect(stage.folder.has("library/Course/02 2.mp4") && !stage.folder.has("library/Kurs/02 2.mp4"))
        await host.stop()
    }

    @Test("eight syncs at once: one runs, seven name it and end with 75, and the state is intact")
    func eight() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...6).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/900000.mp4"), videos: videos))
        let exits = try await withThrowingTaskGroup(of: Outcome.self) { group in
            let options = ["--wait", "0s", "--limit-rate", "20K"]
            for _ in 0..<8 { group.addTask { try await stage.sync("catalog.yaml", options, limit: 120) } }
            var exits: [Int32] = []
            for try await outcome in group {
                exits.append(outcome.exit)
                if exits.count == 7 { #expect(try await stage.command(["set", "--limit-rate", "off"]).exit == 0) }
                let told = outcome.summary?.errors?.first?.message ?? ""
                #expect(
                    outcome.exit == 0 || told.contains("another sync of this user has been running since"),
                    "\(outcome.report)")
            }
            return exits.sorted()
        }
        #expect(exits == [0, 75, 75, 75, 75, 75, 75, 75])
        #expect(host.requests().count == 6)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test(
        "each signal suspends and ends within two seconds: first the data, then the rows",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(_ number: Int32) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...4).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/4000000.mp4?rate=300000"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "4"]) { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 0 }
            let begun = ContinuousClock.now
            let pid = try await running.pid()
            kill(pid, number)
            while kill(pid, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
            // Two on a machine of its own; this one has other tests to run.
            #expect(ContinuousClock.now - begun < .seconds(6))
        }
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(outcome.events("download_suspended").map(\.reason) == Array(repeating: "signal", count: 4))
        for row in try stage.stateCopy().rows("SELECT id, state, durable_bytes FROM downloads") {
            let partial = stage.library.appending(".coursefetch/partials/\(row["id"] ?? "").part").string
            let size = try FileManager.default.attributesOfItem(atPath: partial)[.size] as? Int
            #expect(row["state"] == "suspended" && row["durable_bytes"] == size.map { "\($0)" }, "\(row)")
        }
        await host.stop()
    }
}
