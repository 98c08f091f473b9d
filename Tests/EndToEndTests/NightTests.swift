import DownloadStore
import Foundation
import SyncFacts
import Synchronization
import SystemPackage
import TestServers
import TestSupport
import Testing

/// The events of a run as they come.
private final class Heard: Sendable {
    private let events = Mutex<[SyncEvent]>([])

    var all: [SyncEvent] { events.withLock { $0 } }

    func add(_ event: SyncEvent) { events.withLock { $0.append(event) } }

    /// Waits until what was told is what `isMet` says.
    func until(_ what: String, _ isMet: ([SyncEvent]) -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !isMet(all) {
            guard ContinuousClock.now < end else { throw TestFailure("it doesn't come: \(what); \(all.suffix(20))") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

@Suite("a night, and the next one", .timeLimit(.minutes(5)))
struct NightTests {
    private static func evening(_ day: Int) throws -> Date {
        try Date("2026-11-\(day)T22:00:00Z", strategy: .iso8601)
    }

    @Test(
        """
        the window opens, the limit changes at 23:00, a login dies, a host answers 429 for an hour, the disk fills, the \
        window closes; the next night finishes it all
        """)
    func nights() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // One that is let in with today's password only, and one that has a lecture from half past eleven on.
        try stage.plugin(
            "club",
            script: #"""
                #!/bin/sh
                exec jq -c --unbuffered 'if .params.credentials.password != .params.video.parameters.password
                  then {id, error: {code: -32000, message: "log in", data: {kind: "auth_required"}}}
                  else {id, result: {url: .params.video.parameters.url}} end'
                """#)
        try stage.folder.write(
            try #require(stage.folder.read("plugins/club/plugin.yaml")) + "credentials: [password]\n",
            to: "plugins/club/plugin.yaml")
        try stage.plugin(
            "late",
            script: #"""
                #!/bin/sh
                exec jq -c --unbuffered 'if .params.now < "2026-11-20T23:30"
                  then {id, error: {code: -32000, message: "soon", data: {kind: "not_ready", retry_after: 5400}}}
                  else {id, result: {url: .params.video.parameters.url}} end'
                """#)
        // From a host that is slow on the first day: it must not have 400,000 bytes before the disk is full, however busy
        // the machine is.
        try stage.plugin(
            "tired",
            script: #"""
                #!/bin/sh
                exec jq -c --unbuffered '{id, result: {url: (.params.video.parameters.url
                  + (if .params.now < "2026-11-21T20:00" then "?rate=4000" else "" end))}}'
                """#)
        func video(_ id: String, _ priority: Int, _ url: String, _ more: [String] = []) -> CatalogText.Video {
            let parameters = (["url: \(CatalogText.quoted(url))"] + more.filter { $0.hasPrefix("password") })
            return CatalogText.Video(
                id: id,
                extra: ["priority: \(priority)", "parameters: {\(parameters.joined(separator: ", "))}"]
                    + more.filter { !$0.hasPrefix("password") })
        }
        try stage.catalog(
            CatalogText(videos: [
                video("large", 90, host.url("/media/1/12000000.mp4")),
                video("member", 80, host.url("/media/2/3000.mp4"), ["provider: club", "password: a"]),
                video("guest", 70, host.url("/media/3/3000.mp4"), ["provider: club", "password: b"]),
                // Another host by its name, so that the others go on.
                video(
                    "busy", 60,
                    "http://localhost:\(host.port)/media/4/3000.mp4?status=429&retry-after=3600&times=1"),
                video("slow", 50, host.url("/media/5/4000000.mp4"), ["provider: tired"]),
                video("bulky", 40, host.url("/media/6/900000.mp4"), ["provider: late", "size: 900000"]),
            ]))
        try await logIn(stage, "a")

        let free = Mutex<Int64>(1 << 30)
        var night = Night(stage, at: try Self.evening(20))
        night.freeSpace = { free.withLock { $0 } }
        let (first, heard) = (night, Heard())
        async let ending = first.sync(Self.options) { heard.add($0) }
        do {
            try await heard.until("the small ones, a login, a host and a lecture to wait for") { events in
                events.finished.contains("member") && events.suspensions["guest"] == "auth" && events.waitsForHost
                    && events.progress["slow"] != nil && events.progress["large"] ?? 0 > 0
            }
            // No event tells that the lecture isn't there yet. Asked later, it would be asked again later.
            try await stage.waitForRow("video = 'bulky' AND state = 'waiting' AND error_kind = 'not_ready'")
            #expect(heard.all.finished == ["member"], "40K a second is not enough for the large one")

            await night.clock.advance(to: try Self.evening(20) + 3600)
            try await heard.until("no limit any more, and the hour is over") { events in
                Set(["large", "busy"]).isSubset(of: events.finished)
            }

            // Enough for what is left of the slow one, not for the lecture besides.
            free.withLock { $0 = 5_500_000 }
            await night.clock.advance(to: try Self.evening(20) + 5460)
            try await heard.until("a disk that has no room for the lecture") { $0.suspensions["bulky"] == "disk" }
        } catch {
            // The run must not wait for a clock that nobody moves any more.
            await night.clock.advance(by: .seconds(86_400))
            throw error
        }

        await night.clock.advance(to: try Self.evening(20) + 4 * 3600)
        let (summary, events) = await ending
        #expect(events.suspensions == ["guest": "auth", "bulky": "disk", "slow": "window"])
        #expect(Set(events.finished) == ["large", "member", "busy"])
        #expect(summary.conditions == [.stateUnusable, .loginNeeded, .workLeft])
        #expect(summary.providersToLogIn == ["club"] && summary.stopReason == .window)
        #expect(
            try stage.stateCopy().states() == [
                "large": "finished", "member": "finished", "busy": "finished", "guest": "suspended",
                "bulky": "suspended", "slow": "suspended",
            ])

        // Somebody reads the summary in the morning, logs in and makes room.
        try await logIn(stage, "b")
        free.withLock { $0 = 1 << 30 }
        night = Night(stage, at: try Self.evening(21))
        night.freeSpace = { free.withLock { $0 } }
        let (last, rest) = await night.sync { options in
            Self.options(&options)
            // The clock stands at ten; by day nobody waits for it.
            options.bandwidth = .unlimited
        }
        #expect(last.conditions.isEmpty, "\(last)")
        #expect(Set(rest.finished) == ["guest", "bulky", "slow"])
        let resumed = rest.compactMap { event -> Int64? in
            if case .downloadStarted(let video, let offset) = event, video.video == "slow" { offset } else { nil }
        }
        #expect(resumed.count == 1 && resumed.allSatisfy { $0 > 0 }, "from the very byte")
        #expect(host.requests().count { $0.path.hasPrefix("/media/1/") } == 1, "nothing is fetched twice")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Sendable private static func options(_ options: inout SyncOptions) {
        options.jobs = .fixed(3)
        // The requests are counted.
        options.connectionsPerFile = .fixed(1)
        options.bandwidth = BandwidthTimetable("22:00,40K 23:00,off") ?? .unlimited
        options.window = RunWindow(until: RunWindow.End("02:00"))
        options.maxWait = .seconds(2 * 3600)
        options.minFreeSpace = .bytes(1_000_000)
    }

    private func logIn(_ stage: Stage, _ password: String) async throws {
        try stage.folder.write("password: \(password)\n", to: "secrets")
        let login = try await stage.run([
            "login", "--provider", "club", "--secrets-from", stage.folder.at("secrets").string,
        ])
        #expect(login.exit == 0, "\(login.report)")
    }
}

extension [SyncEvent] {
    fileprivate var waitsForHost: Bool {
        contains { event in
            if case .hostWaiting(let host, _, _, _) = event { host == "localhost" } else { false }
        }
    }

    fileprivate var progress: [String: Int64] {
        reduce(into: [:]) { all, event in
            if case .progress(let video, let progress) = event { all[video.video] = progress.bytes }
        }
    }
}
