package import DownloadStore

/// Sums over some downloads of a ``StatusReport``.
package struct StatusTotals: Sendable, Equatable {
    /// How many there are.
    package var count = 0
    /// How many are in each state.
    package var states: [DownloadState: Int] = [:]
    /// Bytes that are there, of what isn't cancelled.
    package var doneBytes: ByteCount = 0
    /// Bytes of all whose size is known, of what isn't cancelled.
    package var knownBytes: ByteCount = 0
    /// How many, of what isn't cancelled, have no known size.
    package var unknownSizes = 0
    /// How many, of what isn't cancelled, have a known size.
    package var knownSizes = 0
    /// Missing bytes of what comes by itself (not what is paused or failed), where the size is known.
    private var coming: ByteCount = 0
    /// How many of those have no known size.
    private var comingUnknown = 0
    private var rates: ByteCount?
    /// What isn't there beside them: wanted, and failed.
    package var sidecarsWanted = 0
    package var sidecarsFailed = 0

    package init() {}

    package init(_ rows: some Sequence<StatusRow>) {
        self.init()
        for row in rows { add(row) }
    }

    /// How many of them have their file.
    package var finished: Int { states[.finished] ?? 0 }

    /// How many come by themselves: not those that are paused, failed or cancelled.
    package var left: Int { states.reduce(0) { $0 + ($1.key.isOpen ? $1.value : 0) } }

    /// Missing bytes of those that come by themselves; `isWhole` if the sizes of all of them are known.
    package var bytesLeft: (bytes: ByteCount, isWhole: Bool) { (coming, comingUnknown == 0) }

    /// Of all that is active together; nil while nothing moves.
    package var bytesPerSecond: Int64? { rates?.value }

    /// At that rate, for everything that comes by itself; where sizes are unknown, with the mean of those that are known.
    /// Nil while nothing moves, or where no size is known.
    package var secondsLeft: Double? {
        guard let rate = bytesPerSecond, rate > 0, knownSizes > 0 || comingUnknown == 0 else { return nil }
        let mean = knownSizes > 0 ? Double(knownBytes.value) / Double(knownSizes) : 0
        return (Double(coming.value) + mean * Double(comingUnknown)) / Double(rate)
    }

    /// Whether everything that isn't cancelled is there.
    package var isComplete: Bool { unknownSizes == 0 && doneBytes >= knownBytes }

    /// Counts a download.
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

    /// Counts what is alike of many; speeds and what is missing beside them are noted by themselves. `state` is theirs.
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

    /// What is there counts already.
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
