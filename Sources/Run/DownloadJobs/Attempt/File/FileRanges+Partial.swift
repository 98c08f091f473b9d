import DownloadStore
import MediaTransfer

/// What of the ranges in a row can be continued.
extension FileRanges {
    /// Whether they can all be ranges after the first `length` bytes of a file of `total`.
    func mayFollow(_ length: Int64, of total: Int64?) -> Bool {
        guard let total, let first = ranges.first, let last = ranges.last else { return false }
        return first.lowerBound >= length && last.upperBound <= total
    }

    /// Those that can be continued, of a file of `size` bytes whose first `length` are there.
    func extents(after length: Int64, of size: Int64) -> [Range<Int64>] {
        Array(PartialExtents(length: length, beyond: ranges).settled(fileSize: size).beyond)
    }
}
