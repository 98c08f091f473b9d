package import DownloadStore

/// Sums over some downloads of a ``StatusReport``.
package struct StatusTotals: Sendable, Equatable {
    package var count = 0
    /// The number in each state.
    package var states: [DownloadState: Int] = [:]
    /// Existing bytes of downloads that aren't cancelled.
    package var doneBytes: ByteCount = 0
    /// The total of all known sizes of downloads that aren't cancelled.
    package var knownBytes: ByteCount = 0
    /// The number of unknown sizes among downloads that aren't cancelled.
    package var unknownSizes = 0
    /// The number of known sizes among downloads that aren't cancelled.
    package var knownSizes = 0
    /// Missing bytes of downloads that proceed by themselves (not paused or failed ones), if the size is known.
    private var coming: ByteCount = 0
    /// The number of those with an unknown size.
    private var comingUnknown = 0
    private var rates: ByteCount?
    /// Their missing sidecars: wanted, and failed.
    package var sidecarsWanted = 0
    package var sidecarsFailed = 0

    package init() {}

    package init(_ rows: some Sequence<StatusRow>) {
        self.init()
        for row in rows { add(row) }
    }

    /// The number with a file.
    package var finished: Int { states[.finished] ?? 0 }

    /// The number that proceed by themselves: not paused, failed or cancelled.
    package var left: Int { states.reduce(0) { $0 + ($1.key.isOpen ? $1.value : 0) } }

    /// Missing bytes of those that proceed by themselves; `isWhole` if all of their sizes are known.
    package var bytesLeft: (bytes: ByteCount, isWhole: Bool) { (coming, comingUnknown == 0) }

    /// The sum over all active ones; nil without progress.
    package var bytesPerSecond: Int64? { rates?.value }

    /// The time left at that rate for all that proceed by themselves; unknown sizes count as the mean of known ones.
    /// Nil without progress, or without a known size.
    package var secondsLeft: Double? {
        guard let rate = bytesPerSecond, rate > 0, knownSizes > 0 || comingUnknown == 0 else { return nil }
        let mean = knownSizes > 0 ? Double(knownBytes.value) / Double(knownSizes) : 0
        return (Double(coming.value) + mean * Double(comingUnknown)) / Double(rate)
    }

    /// Whether everything that isn't cancelled is complete.
    package var isComplete: Bool { unknownSizes == 0 && doneBytes >= knownBytes }

    package mutating func add(_ row: StatusRow) {
        count += 1
        states[row.state, default: 0] += 1
        sidecarsWanted += row.sidecarsWanted
        sidecarsFailed += row.sidecarsFailed
        guard row.state != .cancelled else { return }
        let size = row.size ?? (row.state == .finished ? row.bytes : nil)
        doneBytes += row.bytes
        if let size {
            knownSizes += 1
            knownBytes += size
        } else {
            unknownSizes += 1
        }
        note(rateOf: row)
        guard row.state.isOpen, !row.gone else { return }
        if let size { coming += ByteCount(size).remaining(after: ByteCount(row.bytes)) } else { comingUnknown += 1 }
    }

    /// Counts the common facts of several; speeds and missing sidecars are noted separately. `state` is common to them.
    mutating func add(_ sums: DownloadSums, as state: DownloadState) {
        count += sums.count
        states[state, default: 0] += sums.count
        guard state != .cancelled else { return }
        doneBytes += sums.doneBytes
        knownBytes += sums.knownBytes
        knownSizes += sums.knownSizes
        unknownSizes += sums.count - sums.knownSizes
        guard state.isOpen else { return }
        coming += sums.missingBytes
        comingUnknown += sums.count - sums.knownSizes
    }

    /// Notes its speed; its existing bytes count already.
    mutating func note(rateOf row: StatusRow) {
        if let rate = row.bytesPerSecond { rates = (rates ?? 0) + ByteCount(rate) }
    }

    /// Counts other downloads.
    package mutating func add(_ other: StatusTotals) {
        count += other.count
        states.merge(other.states, uniquingKeysWith: +)
        doneBytes += other.doneBytes
        knownBytes += other.knownBytes
        unknownSizes += other.unknownSizes
        knownSizes += other.knownSizes
        coming += other.coming
        comingUnknown += other.comingUnknown
        if let more = other.rates { rates = (rates ?? 0) + more }
        sidecarsWanted += other.sidecarsWanted
        sidecarsFailed += other.sidecarsFailed
    }
}
