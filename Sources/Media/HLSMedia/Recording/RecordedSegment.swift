import Crypto
package import MediaTransfer
import TextFormats

/// What remains of a recorded segment when its playlist doesn't have it any more: enough to continue after a kill.
///
/// A list of them, in the order of the recording, is kept beside the partial: 40 bytes for each, big-endian.
package struct RecordedSegment: Sendable, Equatable {
    /// What is special about it.
    struct Marks: OptionSet, Sendable, Equatable {
        let rawValue: Int64
        /// Its host marks it as missing.
        static let isGap = Marks(rawValue: 1)
        /// It was gone before it was requested; ``duration`` is that of all that were.
        static let isMissed = Marks(rawValue: 2)
        /// Formats or timestamps may differ from the segment before.
        static let startsDiscontinuity = Marks(rawValue: 4)
        /// The numbers begin anew with it.
        static let startsNumbers = Marks(rawValue: 8)
        /// Its host doesn't give it.
        static let isRefused = Marks(rawValue: 16)
    }

    /// The bytes of each in a list.
    static let length = 40

    /// Its media sequence number; the first one of several missed segments.
    var sequence: Int64
    /// Seconds.
    var duration: Double
    /// Of its address; see ``name(of:_:)``.
    var name: Int64
    /// Of the address of its initialization section; 0 without one.
    var map: Int64
    var marks: Marks

    /// Whether it has bytes.
    var isMedia: Bool { marks.isDisjoint(with: [.isGap, .isMissed, .isRefused]) }

    /// The length of a list of so many.
    package static func listLength(_ count: Int) -> Int64 { Int64(count) * Int64(length) }

    /// The first `count` of a list; fewer if it is shorter or has impossible values.
    package static func read(_ count: Int, from list: PartialFile) throws(FileError) -> [RecordedSegment] {
        let bytes = try list.prefix(count * length)
        var segments: [RecordedSegment] = []
        for start in stride(from: 0, through: bytes.count - length, by: length) {
            func number(_ index: Int) -> Int64 {
                bytes[start + index * 8..<start + index * 8 + 8].reduce(0) { $0 << 8 | Int64($1) }
            }
            let duration = Double(bitPattern: UInt64(bitPattern: number(1)))
            guard number(0) >= 0, (0...PlaylistLimit.seconds).contains(duration) else { break }
            segments.append(
                RecordedSegment(
                    sequence: number(0), duration: duration, name: number(2), map: number(3),
                    marks: Marks(rawValue: number(4))))
        }
        return segments
    }

    /// The form in a list.
    static func bytes(_ segments: some Sequence<RecordedSegment>) -> [UInt8] {
        var list = LengthPrefixed(.bigEndian)
        for segment in segments {
            list.add(segment.sequence)
            list.add(Int64(bitPattern: segment.duration.bitPattern))
            for value in [segment.name, segment.map, segment.marks.rawValue] { list.add(value) }
        }
        return list.bytes
    }

    /// Tells addresses apart: of the last component of the path and the byte range, since a token may be in the rest.
    /// Never 0.
    static func name(of url: String, _ range: Range<Int64>?) -> Int64 {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var text = Array(path.suffix(from: path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex))
        if let range { text += Array(" \(range.lowerBound) \(range.upperBound)".utf8) }
        return SHA256.hash(data: text).prefix(8).reduce(0) { $0 << 8 | Int64($1) } | 1
    }
}
