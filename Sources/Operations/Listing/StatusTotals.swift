package import DownloadStore

/// Sums over some downloads of a ``StatusReport``.
package struct StatusTotals: Sendable, Equatable {
    /// How many there are.
    package var count = 0
    /// How many of them have their file.
    package var finished = 0
    /// Bytes that are there, of what isn't cancelled.
    package var doneBytes: ByteCount = 0
    /// Bytes of all whose size is known, of what isn't cancelled.
    package var knownBytes: ByteCount = 0
    /// How many, of what isn't cancelled, have no known size.
    package var unknownSizes = 0
    /// How many, of what isn't cancelled, have a known size.
    package var knownSizes = 0
    /// Of all that is active together; nil while nothing moves.
    package var bytesPerSecond: Int64?
    /// At that rate, for everything that comes by itself (not what is paused or failed); where sizes are unknown, with the
    /// mean of those that are known. Nil while nothing moves, or where no size is known.
    package var secondsLeft: Double?

    package init(_ rows: some Sequence<StatusRow>) {
        var coming: ByteCount = 0
        var comingUnknown = 0
        var rates: [Int64] = []
        for row in rows {
            count += 1
            if row.state == .finished { finished += 1 }
            guard row.state != .cancelled else { continue }
            let size = row.size ?? (row.state == .finished ? row.bytes : nil)
            doneBytes += row.bytes
            if let size {
                knownSizes += 1
                knownBytes += size
            } else {
                unknownSizes += 1
            }
            if let rate = row.bytesPerSecond { rates.append(rate) }
            guard row.state.isOpen, !row.gone else { continue }
            if let size { coming += ByteCount(size).remaining(after: ByteCount(row.bytes)) } else { comingUnknown += 1 }
        }
        if !rates.isEmpty { bytesPerSecond = rates.byteCount(\.self).value }
        guard let rate = bytesPerSecond, rate > 0, knownSizes > 0 || comingUnknown == 0 else { return }
        let mean = knownSizes > 0 ? Double(knownBytes.value) / Double(knownSizes) : 0
        secondsLeft = (Double(coming.value) + mean * Double(comingUnknown)) / Double(rate)
    }

    /// Whether everything that isn't cancelled is there.
    package var isComplete: Bool { unknownSizes == 0 && doneBytes >= knownBytes }
}
