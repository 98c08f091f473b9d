import DownloadStore
import Foundation
import SyncFacts

/// The numbers of the overall line.
struct LiveTally: Sendable {
    /// Downloads that this run has to deal with.
    private(set) var total = 0
    private(set) var finished = 0
    private(set) var failed = 0
    /// Bytes that this run has to fetch, if that is known.
    private(set) var wantedBytes: Int64?
    private(set) var meter = SpeedMeter()
    /// Sizes of what has finished or told its size, for a guess at the rest.
    private var knownBytes = ByteCount(0)
    private var known = 0

    mutating func start(_ start: SyncStart, at now: Date) {
        meter.start(at: now)
        total = [DownloadState.waiting, .active, .suspended].reduce(0) { $0 + (start.downloads[$1] ?? 0) }
        wantedBytes = start.waitingBytes
    }

    mutating func arrived(_ bytes: Int64, at now: Date) {
        if bytes > 0 { meter.add(bytes, at: now) }
    }

    mutating func sizeIsKnown(_ size: Int64) {
        known += 1
        knownBytes += size
    }

    mutating func finishedOne(active: Int) {
        finished += 1
        raiseTotal(active: active)
    }

    mutating func failedOne(active: Int) {
        failed += 1
        raiseTotal(active: active)
    }

    /// More was put back to waiting.
    mutating func addOne() { total += 1 }

    /// A download that is no longer wanted.
    mutating func dropOne(active: Int) {
        total -= 1
        raiseTotal(active: active)
    }

    /// What was failed from an earlier run and is tried again wasn't counted at the start.
    mutating func raiseTotal(active: Int) { total = max(total, finished + failed + active) }

    /// How much of the run is done, between 0 and 1.
    func fraction(of active: some Sequence<LiveDownload>) -> Double {
        if let wantedBytes, wantedBytes > 0 { return min(1, Double(meter.total) / Double(wantedBytes)) }
        guard total > 0 else { return 0 }
        return min(1, active.reduce(Double(finished + failed)) { $0 + ($1.fraction ?? 0) } / Double(total))
    }

    /// Seconds to the end, from what is known or, failing that, from the mean size so far.
    func secondsLeft(of active: some Sequence<LiveDownload>, at now: Date) -> Double? {
        let rate = meter.bytesPerSecond(at: now)
        guard rate > 0 else { return nil }
        if let wantedBytes { return Double(max(0, wantedBytes - meter.total)) / Double(rate) }
        guard known > 0 else { return nil }
        var left: Double = 0
        var open = total - finished - failed
        for download in active {
            guard let size = download.progress.size else { continue }
            left += Double(max(0, size - download.progress.bytes))
            open -= 1
        }
        return (left + Double(knownBytes.value) / Double(known) * Double(max(0, open))) / Double(rate)
    }
}
