import DownloadStore
import Foundation
import SyncFacts
import Terminal

/// The numbers of the overall line.
///
/// Bytes of earlier runs count like those of this one: the line shows how much of the work is done.
struct LiveTally: Sendable {
    /// The number of downloads in this run.
    private(set) var total = 0
    private(set) var finished = 0
    private(set) var failed = 0
    /// The total size of this run's downloads, if it is known.
    private(set) var wantedBytes: Int64?
    /// The existing bytes of that, from this run and earlier ones.
    private(set) var presentBytes: Int64 = 0
    /// Measures the bytes received by this run.
    private(set) var meter = SpeedMeter()
    /// The existing parts of videos that aren't active.
    private var partials: [VideoReference: SyncStart.Partial] = [:]
    /// Those of failed downloads, which count as done.
    private var failedPartials: [VideoReference: SyncStart.Partial] = [:]
    /// Those of paused or cancelled downloads, which don't count until they are wanted again.
    private var dropped: [VideoReference: SyncStart.Partial] = [:]
    /// The known sizes, to estimate the rest.
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

    /// Downloads of courses that were listed after the start.
    mutating func add(_ addition: SyncAddition) {
        total += [DownloadState.waiting, .active, .suspended].reduce(0) { $0 + (addition.downloads[$1] ?? 0) }
        wantedBytes = wantedBytes.flatMap { bytes in addition.waitingBytes.map { bytes + $0 } }
        partials.merge(addition.partials) { known, _ in known }
        presentBytes += addition.partials.values.byteCount(\.bytes).value
        for size in addition.partials.values.compactMap(\.size) { sizeIsKnown(size) }
    }

    /// A video begins its turn. Returns its existing part.
    mutating func activated(_ reference: VideoReference) -> SyncStart.Partial? {
        want(reference)
        return partials.removeValue(forKey: reference) ?? failedPartials.removeValue(forKey: reference)
    }

    /// A video ends its turn, and its bytes stay.
    mutating func deactivated(_ download: LiveDownload) {
        partials[download.reference] = download.partial
    }

    /// The existing bytes of an active video have changed; fewer if it starts over.
    mutating func changed(by bytes: Int64) { presentBytes += bytes }

    /// Bytes have arrived from the network.
    mutating func arrived(_ bytes: Int64, at now: Date) {
        if bytes > 0 { meter.add(bytes, at: now) }
    }

    mutating func sizeIsKnown(_ size: Int64) {
        known += 1
        knownBytes += size
    }

    /// A video has its file. `counted` is its size while it was active; nil if it never was.
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

    /// Failures of an earlier run that are retried weren't counted at the start.
    mutating func raiseTotal(active: Int) { total = max(total, finished + failed + active) }

    /// The finished fraction of the run's work, between 0 and 1.
    func fraction(of active: some Sequence<LiveDownload>) -> Double {
        if let wantedBytes, wantedBytes > 0 { return min(1, Double(max(0, presentBytes)) / Double(wantedBytes)) }
        guard total > 0 else { return 0 }
        if let left = bytesLeft(of: active) {
            let present = Double(max(0, presentBytes))
            if present + left > 0 { return min(1, present / (present + left)) }
        }
        let begun = active.reduce(Double(finished + failed)) { $0 + ($1.fraction ?? 0) }
        let all = partials.values.reduce(begun) { sum, partial in
            guard let size = partial.size, size > 0 else { return sum }
            return sum + min(1, Double(partial.bytes) / Double(size))
        }
        return min(1, all / Double(total))
    }

    /// The bytes to come, from known sizes and for the others from their mean; nil if none is known. Counting videos
    /// alone, a large one among small ones would be almost nothing.
    private func bytesLeft(of active: some Sequence<LiveDownload>) -> Double? {
        guard known > 0 else { return nil }
        var left: Double = 0
        var open = total - finished - failed
        for download in active {
            guard let size = download.progress.size else { continue }
            left += Double(max(0, size - download.progress.bytes))
            open -= 1
        }
        for partial in partials.values {
            guard let size = partial.size else { continue }
            left += Double(max(0, size - partial.bytes))
            open -= 1
        }
        return left + Double(knownBytes.value) / Double(known) * Double(max(0, open))
    }

    /// Seconds to the end, from known sizes or else from the mean size so far.
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
