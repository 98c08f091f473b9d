/// Which bytes of a file are there: ranges in ascending order. The first one begins at 0 and may be empty, no other is.
///
/// Two that touch are still two until it is proven that they are of the same version of the file: see ``join(at:)``.
package struct PartialExtents: Sendable, Equatable {
    /// Of ranges that aren't the first one, shorter ones aren't worth a request more.
    static let least: Int64 = 64 << 10

    package private(set) var ranges: [Range<Int64>]

    /// - Parameter beyond: ranges after the first `length` bytes; what isn't in ascending order is left out.
    package init(length: Int64, beyond: [Range<Int64>] = []) {
        ranges = [0..<max(0, length)]
        for range in beyond where range.lowerBound >= end && !range.isEmpty { ranges.append(range) }
    }

    /// The bytes that are there without a gap, from the first one on.
    package var length: Int64 { ranges[0].upperBound }

    /// All bytes that are there.
    package var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// The end of the last range.
    package var end: Int64 { ranges[ranges.count - 1].upperBound }

    /// The ranges after the first one.
    package var beyond: ArraySlice<Range<Int64>> { ranges.dropFirst() }

    /// What is missing of the first `total` bytes, apart from `taken`.
    package func missing(of total: Int64, besides taken: [Range<Int64>] = []) -> [Range<Int64>] {
        var missing: [Range<Int64>] = []
        var position: Int64 = 0
        for range in (ranges + taken).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > position { missing.append(position..<min(range.lowerBound, total)) }
            position = max(position, range.upperBound)
        }
        if position < total { missing.append(position..<total) }
        return missing.filter { !$0.isEmpty }
    }

    /// The start of the range that ends at `offset`, else of the one that would begin there.
    func extent(endingAt offset: Int64) -> Int64 { ranges.first { $0.upperBound == offset }?.lowerBound ?? offset }

    /// Bytes have been written at `offset`: the first ones of a range of their own, or at the end of another.
    mutating func add(_ count: Int64, at offset: Int64, isNew: Bool) {
        if let index = isNew ? nil : ranges.firstIndex(where: { $0.upperBound == offset }) {
            ranges[index] = ranges[index].lowerBound..<offset + count
        } else {
            let index = ranges.firstIndex { $0.lowerBound >= offset && !$0.isEmpty } ?? ranges.count
            ranges.insert(offset..<offset + count, at: index)
        }
    }

    /// The two ranges that touch at `offset` are of the same version.
    mutating func join(at offset: Int64) {
        guard let next = ranges.indices.dropFirst().first(where: { ranges[$0].lowerBound == offset }),
            ranges[next - 1].upperBound == offset
        else { return }
        ranges[next - 1] = ranges[next - 1].lowerBound..<ranges[next].upperBound
        ranges.remove(at: next)
    }

    /// Drops the beginning of the range that begins at `offset`, unless it is small: it is to be requested again, since
    /// nothing will prove the joint there.
    mutating func cut(at offset: Int64) {
        guard let index = ranges.indices.dropFirst().first(where: { ranges[$0].lowerBound == offset }),
            ranges[index].count > 2 * Self.least
        else { return }
        ranges[index] = offset + Self.least..<ranges[index].upperBound
    }

    /// After an interruption: without the beginnings of ranges whose predecessors touch them, which nothing has proven,
    /// without small ones, and without what the file doesn't have.
    package func settled(fileSize: Int64) -> PartialExtents {
        var settled = PartialExtents(length: min(length, fileSize))
        for (range, before) in zip(beyond, ranges) {
            let start = range.lowerBound == before.upperBound ? range.lowerBound + Self.least : range.lowerBound
            let end = min(range.upperBound, fileSize)
            if end - start >= Self.least { settled.ranges.append(start..<end) }
        }
        return settled
    }
}
