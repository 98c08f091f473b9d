package import MediaTransfer

/// A segment's part of the joined file.
///
/// A joined file alone doesn't show where a segment begins. If that is needed, to play it by a playlist or to list its
/// parts for ffmpeg, an index is kept beside it: 8 bytes for each segment, in order.
package struct JoinedPiece: Sendable, Hashable {
    /// Bytes of the initialization section written before it; 0 without one.
    package var initialization: Int64
    /// Its own bytes; 0 for a gap.
    package var media: Int64

    package init(initialization: Int64 = 0, media: Int64) {
        self.initialization = initialization
        self.media = media
    }

    /// The bytes of segment and initialization section.
    package var bytes: Int64 { initialization + media }

    /// The length of an index of so many segments.
    package static func indexLength(_ count: Int) -> Int64 { Int64(count) * 8 }

    /// The first `count` pieces of an index.
    package static func read(_ count: Int, from index: PartialFile) throws(FileError) -> [JoinedPiece] {
        let bytes = try index.prefix(count * 8)
        return stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
            JoinedPiece(initialization: number(bytes[start..<start + 4]), media: number(bytes[start + 4..<start + 8]))
        }
    }

    /// The parts of a joined file that begin with an initialization section, as ranges of its bytes.
    package static func parts(of pieces: [JoinedPiece]) -> [Range<Int64>] {
        var parts: [Range<Int64>] = []
        var end: Int64 = 0
        for piece in pieces {
            let start = piece.initialization > 0 || parts.isEmpty ? end : parts.removeLast().lowerBound
            end += piece.bytes
            parts.append(start..<end)
        }
        return parts
    }

    /// Writes it to the index as the piece of segment `number`, replacing an earlier entry.
    func write(_ number: Int, to index: PartialFile) throws(FileError) {
        index.rewind(to: Self.indexLength(number))
        var bytes: [UInt8] = []
        for value in [initialization, media] {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift))) }
        }
        var failure: FileError?
        bytes.withUnsafeBytes { bytes in
            do throws(FileError) { try index.append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
