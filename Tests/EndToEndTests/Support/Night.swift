import DownloadRunner
import DownloadStore
import FileSystem
import Foundation
import Logging
import SyncFacts
import SystemPackage
import TestServers
import TestSupport

/// Runs in this very process, at a time that the test gives.
struct Night: Sendable {
    let stage: Stage
    let clock: VirtualClock
    /// Bytes free on the library's disk; nil asks the disk.
    var freeSpace: (@Sendable () -> Int64?)?
    /// The size of that disk, if not asked.
    var diskSize: Int64 = 1 << 40

    init(_ stage: Stage, at start: Date) {
        self.stage = stage
        clock = VirtualClock(start)
    }

    private var space: (@Sendable () -> VolumeSpace?)? {
        guard let freeSpace else { return nil }
        return { [diskSize] in freeSpace().map { VolumeSpace(free: $0, size: diskSize) } }
    }

    /// Runs a sync to its end and returns how it ended, with all that it told; `direct` hears of each event.
    func sync(
        _ change: (inout SyncOptions) -> Void = { _ in }, hearing direct: (SyncEvent) async -> Void = { _ in }
    ) async -> (summary: SyncSummary, events: [SyncEvent]) {
        var options = SyncOptions(catalogs: [stage.folder.at("catalog.yaml").string])
        options.state = stage.state.string
        options.library = stage.library.string
        options.plugins = [stage.folder.at("plugins").string]
        options.zone = .gmt
        change(&options)
        let run = SyncRun(
            options, logger: Logger(label: "night") { _ in SwiftLogNoOpLogHandler() }, clock: clock,
            space: space, wording: { "\($0)" })
        let events = run.events
        async let ending = run.run()
        var all: [SyncEvent] = []
        for await event in events {
            all.append(event)
            await direct(event)
        }
        return (await ending, all)
    }
}

extension [SyncEvent] {
    /// Why each download was suspended, by its id.
    var suspensions: [String: String] {
        reduce(into: [:]) { all, event in
            if case .downloadSuspended(let video, let reason) = event { all[video.video] = reason.rawValue }
        }
    }

    /// The next attempt of each download that failed, by its id; `.some(nil)` for one that failed for good.
    var failures: [String: Date?] {
        reduce(into: [:]) { all, event in
            if case .downloadFailed(let video, _, let retryAt) = event { all.updateValue(retryAt, forKey: video.video) }
        }
    }

    /// The ids of those that arrived.
    var finished: [String] {
        compactMap { event in
            if case .downloadFinished(let video, _) = event { video.video } else { nil }
        }
    }
}
