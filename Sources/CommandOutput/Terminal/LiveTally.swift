import DownloadStore
import Foundation
import SyncFacts

/// The numbers of the overall line.
///
/// Bytes of earlier runs count as those of this one: the line says how much of the work is done, not who did it.
struct LiveTally: Sendable {
    /// Downloads that this run has to deal with.
    private(set) var total = 0
    private(set) var finished = 0
    private(set) var failed = 0
    /// The sizes of all that this run has to bring in, if they are known.
    private(set) var wantedBytes: Int64?
    /// What is there of that, from this run and earlier ones.
    private(set) var presentBytes: Int64 = 0
    /// Of what this run has received.
    private(set) var meter = SpeedMeter()
    /// What is there of videos that aren't active.
    private var partials: [VideoReference: SyncStart.Partial] = [:]
    /// Of those that failed, which count as dealt with.
    private var failedPartials: [VideoReference: SyncStart.Partial] = [:]
    /// Of those that were paused or cancelled, which count for nothing until they are wanted again.
    private var dropped: [VideoReference: SyncStart.Partial] = [:]
    /// Sizes of what has finished or told its size, for a guess at the rest.
    private var knownBytes = ByteCount(0)
    private var known = 0

    mutating func start(_ start: SyncStart, at now: Date) {
        meter.start(at: now)
        total = [DownloadState.waiting, .active, .suspended].reduce(0) { $0 + (start.downloads[$1] ?? 0) }
        wantedBytes = start.waitingBytes
        partials = start.partials
        presentBytes = partials.values.byteCount(\.bytes).value
        for size in partials.values.compactMap(\.size) { sizeIsKnown(size) }
    }

    /// A video begins its turn. Returns what is there of it.
    mutating func activated(_ reference: VideoReference) -> SyncStart.Partial? {
        want(reference)
        return partials.removeValue(forKey: reference) ?? failedPartials.removeValue(forKey: reference)
    }

    /// A video ends its turn, and its bytes stay.
    mutating func deactivated(_ download: LiveDownload) {
        partials[download.reference] = download.partial
    }

    /// What is there of an active video has changed; less than before if it starts over.
    mutating func changed(by bytes: Int64) { presentBytes += bytes }

    /// Bytes have come from the network.
    mutating func arrived(_ bytes: Int64, at now: Date) {
        if bytes > 0 { meter.add(bytes, at: now) }
    }

    mutating func sizeIsKnown(_ size: Int64) {
        known += 1
        knownBytes += size
    }

    /// A video has its file. `counted` is what was there of it while it was active; nil if it never was.
    mutating func finishedOne(_ reference: VideoReference, size: Int64, counted: Int64?, active: Int) {
        finished += 1
        let before = counted ?? activated(reference)?.bytes ?? 0
        presentBytes += size - before
        raiseTotal(active: active)
    }

    /// A video has failed; `download` if it was active.
    mutating func failedOne(_ reference: VideoReference, _ download: LiveDownload?, active: Int) {
        failed += 1
        failedPartials[reference] = download?.partial ?? activated(reference)
        raiseTotal(active: active)
    }

    /// More was put back to waiting.
    mutating func addOne(_ reference: VideoReference) {
        total += 1
        want(reference)
    }

    private mutating func want(_ reference: VideoReference) {
        guard let partial = dropped.removeValue(forKey: reference) else { return }
        partials[reference] = partial
        presentBytes += partial.bytes
        wantedBytes = wantedBytes.map { $0 + (partial.size ?? 0) }
    }

    /// A download that is no longer wanted; `download` if it was active.
    mutating func dropOne(_ reference: VideoReference, _ download: LiveDownload?, active: Int) {
        total -= 1
        if let partial = download?.partial ?? activated(reference) {
            dropped[reference] = partial
            presentBytes -= partial.bytes
            wantedBytes = wantedBytes.map { $0 - (partial.size ?? 0) }
        }
        raiseTotal(active: active)
    }

    /// What was failed from an earlier run and is tried again wasn't counted at the start.
    mutating func raiseTotal(active: Int) { total = max(total, finished + failed + active) }

    /// How much of the run's work is done, between 0 and 1.
    func fraction(of active: some Sequence<LiveDownload>) -> Double {
        if let wantedBytes, wantedBytes > 0 { return min(1, Double(max(0, presentBytes)) / Double(wantedBytes)) }
        guard total > 0 else { return 0 }
        let begun = active.reduce(Double(finished + failed)) { $0 + ($1.fraction ?? 0) }
        let all = partials.values.reduce(begun) { sum, partial in
            guard let size = partial.size, size > 0 else { return sum }
            return sum + min(1, Double(partial.bytes) / Double(size))
        }
        return min(1, all / Double(total))
    }

    /// Seconds to the end, from what is known or, failing that, from the mean size so far.
    func secondsLeft(of active: some Sequence<LiveDownload>, at now: Date) -> Double? {
        let rate = meter.bytesPerSecond(at: now)
        guard rate > 0 else { return nil }
        if let wantedBytes { return Double(max(0, wantedBytes - presentBytes)) / Double(rate) }
        guard known > 0 else { return nil }
        var left: Double = 0
        var open = total - finished - failed
        for download in active {
            guard let size = download.progress.size else { continue }
            left += Double(max(0, size - download.progress.bytes))
            open -= 1
        }
        left += Double(knownBytes.value) / Double(known) * Double(max(0, open))
        left -= Double(partials.values.byteCount(\.bytes).value)
        return max(0, left) / Double(rate)
    }
}
