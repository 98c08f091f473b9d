import DownloadStore
import Foundation
import SyncFacts
import Synchronization
import TestServers
import TestSupport
import Testing

@Suite("state carried from one run to the next", .timeLimit(.minutes(5)))
struct LaterRunsTests {
    private static let start = Date(timeIntervalSince1970: 1_795_228_200)

    @Test("a failed download is retried on later nights at growing intervals; a permanent failure never is")
    func nights() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Says of one video that it isn't there, and of all others where they are.
        try stage.plugin(
            "half",
            script: #"""
                #!/bin/sh
                exec jq -c --unbuffered 'if .params.video.id == "gone"
                  then {id, error: {code: -32000, message: "taken down", data: {kind: "gone"}}}
                  else {id, result: {url: .params.video.parameters.url}} end'
                """#)
        let broken = host.url("/media/5/3000.mp4?status=500&times=6")
        try stage.catalog(
            CatalogText(
                provider: "half", url: host.url("/media/4/3000.mp4"),
                videos: [
                    .init(id: "good"), .init(id: "gone"),
                    .init(id: "broken", extra: ["parameters: {url: \(CatalogText.quoted(broken))}"]),
                ]))
        let night = Night(stage, at: Self.start)
        var nightsOfAttempts: [Int] = []
        var verdicts: [Date??] = []
        for number in 0...22 {
            let before = host.requests().count
            // One after the other: the 500 would leave the host alone for a while, by a clock that stands still.
            let (summary, events) = await night.sync { ($0.retries, $0.jobs) = (1, .fixed(1)) }
            if host.requests().count > before { nightsOfAttempts.append(number) }
            if let verdict = events.failures["gone"] { verdicts.append(verdict) }
            let hours = events.failures["broken"].flatMap { $0 }.map { $0.timeIntervalSince(night.clock.now) / 3600 }
            let expected: [Int: Double] = [0: 1, 1: 20, 2: 44, 4: 92, 8: 164, 15: 164]
            #expect(hours == expected[number], "night \(number)")
            // What failed on an earlier night is still told.
            #expect(summary.conditions == [.downloadsFailed], "night \(number)")
            #expect(summary.downloads[.failed] == (number < 22 ? 2 : 1))
            #expect(summary.failedNow == (number == 0 ? 2 : expected[number] == nil ? 0 : 1))

            // A second run of the same night, before the hour is over.
            let again = host.requests().count
            await night.clock.advance(by: .seconds(1800))
            _ = await night.sync { $0.retries = 1 }
            #expect(host.requests().count == again, "night \(number)")
            // A minute less than a day: nightly jobs aren't that punctual.
            await night.clock.advance(by: .seconds(86_400 - 1800 - 60))
        }
        #expect(nightsOfAttempts == [0, 1, 2, 4, 8, 15, 22])
        #expect(verdicts == [.some(nil)], "failed for good, told once, never asked for again")
        #expect(try stage.stateCopy().states() == ["good": "finished", "gone": "failed", "broken": "finished"])
        await host.stop()
    }

    @Test("a window that closes suspends active downloads; the next night continues at the same byte")
    func windowCloses() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url("/media/{id}/400000.mp4?stall=200000&times=1"),
                videos: [.init(id: "1")]))
        // At half past two; the window closes at six.
        let night = Night(stage, at: Self.start)
        let six = try #require(RunWindow.End("06:00"))
        let (summary, events) = await night.sync {
            $0.window = RunWindow(maxDuration: .seconds(86_400), until: six)
        } hearing: { event in
            if case .progress(_, let progress) = event, progress.bytes == 200_000 {
                await night.clock.advance(to: Self.start + 5 * 3600)
            }
        }
        #expect(events.suspensions == ["1": "window"])
        #expect(summary.conditions == [.workLeft] && summary.stopReason == .window)
        await night.clock.advance(by: .seconds(86_400))
        let (next, _) = await night.sync { $0.window = RunWindow(until: six) }
        #expect(next.conditions == [] && next.stopReason == nil)
        #expect(host.requests().map(\.fields["range"]) == [nil, "bytes=200000-"])
        await host.stop()
    }

    /// Three downloads that hang with half of their bytes, but for the first one, which goes on slowly.
    private func stage(_ host: FaultHost) throws -> Stage {
        let stage = try Stage()
        try stage.recordingPlugin()
        let slow = CatalogText.quoted(host.url("/media/1/900000.mp4?rate=60000"))
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url("/media/{id}/400000.mp4?stall=200000&times=1"),
                videos: [
                    .init(id: "2"), .init(id: "3"),
                    .init(id: "1", extra: ["priority: high", "parameters: {url: \(slow)}"]),
                ]))
        return stage
    }

    @Test("a disk that fills up during downloads: the least important ones end, those that fit go on")
    func tight() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host)
        let free = Mutex<Int64>(1 << 30)
        var bytes: [String: Int64] = [:]
        var isTight = false
        var night = Night(stage, at: Self.start)
        night.freeSpace = { free.withLock { $0 } }
        let (summary, events) = await night.sync {
            $0.minFreeSpace = .bytes(1 << 20)
        } hearing: { event in
            guard case .progress(let video, let progress) = event else { return }
            bytes[video.video] = progress.bytes
            // All sizes are known. There is room for what the first one still needs, and no more.
            if !isTight, bytes["2"] == 200_000, bytes["3"] == 200_000, let first = bytes["1"] {
                isTight = true
                free.withLock { $0 = (1 << 20) + 900_000 - first }
            }
        }
        #expect(events.suspensions == ["2": "disk", "3": "disk"] && events.finished == ["1"])
        #expect(summary.conditions.contains(.stateUnusable))
        await night.clock.advance(by: .seconds(86_400))
        night.freeSpace = nil
        let (next, _) = await night.sync { $0.minFreeSpace = .bytes(1) }
        #expect(next.conditions == [] && next.downloads == [.finished: 3])
        #expect(host.requests().compactMap(\.fields["range"]).contains("bytes=200000-"))
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("space that becomes free during the run is used in the same run, from the same byte")
    func roomComesBack() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host)
        let free = Mutex<Int64>(1 << 30)
        var bytes: [String: Int64] = [:]
        var suspended = 0
        var night = Night(stage, at: Self.start)
        night.freeSpace = { free.withLock { $0 } }
        let (summary, events) = await night.sync {
            $0.minFreeSpace = .bytes(1 << 20)
        } hearing: { event in
            switch event {
            case .progress(let video, let progress):
                bytes[video.video] = progress.bytes
                guard suspended == 0, bytes["2"] == 200_000, bytes["3"] == 200_000, let first = bytes["1"] else {
                    return
                }
                free.withLock { $0 = (1 << 20) + 900_000 - first }
            case .downloadSuspended:
                suspended += 1
                guard suspended == 2 else { return }
                free.withLock { $0 = 1 << 30 }
                await night.clock.advance(by: .seconds(11))
            default: break
            }
        }
        #expect(events.suspensions == ["2": "disk", "3": "disk"])
        #expect(Set(events.finished) == ["1", "2", "3"])
        #expect(summary.conditions == [] && summary.downloads == [.finished: 3])
        #expect(host.requests().compactMap(\.fields["range"]).count { $0 == "bytes=200000-" } == 2)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a disk that others fill: all downloads end, and nothing that arrived is lost")
    func filled() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host)
        let free = Mutex<Int64>(1 << 30)
        var bytes: [String: Int64] = [:]
        var night = Night(stage, at: Self.start)
        night.freeSpace = { free.withLock { $0 } }
        let (summary, events) = await night.sync {
            $0.minFreeSpace = .bytes(1 << 20)
        } hearing: { event in
            guard case .progress(let video, let progress) = event else { return }
            bytes[video.video] = progress.bytes
            if bytes["2"] == 200_000, bytes["3"] == 200_000, bytes["1"] != nil { free.withLock { $0 = (1 << 20) - 1 } }
        }
        #expect(events.suspensions == ["1": "disk", "2": "disk", "3": "disk"])
        #expect(summary.conditions.contains(.stateUnusable) && summary.stopReason == .disk)
        let durable = try stage.stateCopy().rows("SELECT durable_bytes FROM downloads").compactMap {
            $0["durable_bytes"]
        }
        #expect(durable.filter { $0 == "200000" }.count == 2)
        await host.stop()
    }
}
