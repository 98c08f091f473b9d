/// The segments within a file, from the index in it. Related: ISO/IEC 14496-12 §8.16.3.
package struct SegmentIndex: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// In the file.
        package var range: Range<Int64>
        /// Seconds on the media's clock.
        package var start: Double
        /// Seconds.
        package var duration: Double
    }

    package var entries: [Entry] = []

    init() {}

    /// Reads the first `sidx` box.
    ///
    /// - Parameters:
    ///   - bytes: the index, complete.
    ///   - offset: of the bytes in the file.
    package static func read(_ bytes: [UInt8], at offset: Int64) throws(SegmentIndexError) -> SegmentIndex {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SegmentIndexError) in try SegmentIndex(buffer, at: offset) }
        }
        return try result.get()
    }

    private init(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SegmentIndexError) {
        var place = 0
        while let header = MP4BoxHeader(UnsafeRawBufferPointer(rebasing: bytes[place...])) {
            guard header.length > 0, header.length <= UInt64(bytes.count - place) else { break }
            let end = place + Int(header.length)
            if header.name == "sidx" {
                let (anchor, isTooMuch) = offset.addingReportingOverflow(Int64(end))
                guard !isTooMuch else { throw .invalid }
                try take(UnsafeRawBufferPointer(rebasing: bytes[(place + header.size)..<end]), after: anchor)
                return
            }
            place = end
        }
        throw .missing
    }

    /// - Parameter anchor: the end of the box in the file, from which offsets count.
    private mutating func take(_ body: UnsafeRawBufferPointer, after anchor: Int64) throws(SegmentIndexError) {
        guard let version = body.first, version <= 1, let timescale = body.big(UInt32.self, at: 8), timescale > 0 else {
            throw .invalid
        }
        let isLong = version == 1
        let first = isLong ? body.big(UInt64.self, at: 12) : body.big(UInt32.self, at: 12).map { UInt64($0) }
        let gap = isLong ? body.big(UInt64.self, at: 20) : body.big(UInt32.self, at: 16).map { UInt64($0) }
        let start = isLong ? 32 : 24
        guard let first, let gap, gap <= UInt64(PlaylistLimit.size), anchor <= PlaylistLimit.size,
            let count = body.big(UInt16.self, at: start - 2), count > 0, body.count >= start + Int(count) * 12
        else { throw .invalid }
        var (place, time) = (anchor + Int64(gap), Double(first) / Double(timescale))
        entries.reserveCapacity(Int(count))
        for number in 0..<Int(count) {
            guard let reference = body.big(UInt32.self, at: start + number * 12),
                let units = body.big(UInt32.self, at: start + number * 12 + 4)
            else { throw .invalid }
            guard reference >> 31 == 0 else { throw .hierarchical }
            let seconds = Double(units) / Double(timescale)
            let end = place + Int64(reference)
            guard reference > 0, end <= PlaylistLimit.size, seconds <= PlaylistLimit.seconds else { throw .invalid }
            entries.append(Entry(range: place..<end, start: time, duration: seconds))
            (place, time) = (end, time + seconds)
        }
    }
}
