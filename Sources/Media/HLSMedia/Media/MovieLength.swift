/// The duration of an MP4, and of each of its tracks, from its headers. Related: ISO/IEC 14496-12 §8.2, §8.4.
///
/// The duration of a track is that of its media; cuts and delays of an edit list aren't included.
package struct MovieLength: Sendable, Equatable {
    package enum TrackKind: Sendable, Equatable {
        case video
        case audio
        case other
    }

    package struct Track: Sendable, Equatable {
        package var kind: TrackKind
        /// Nil if unknown.
        package var seconds: Double?
    }

    /// The limit on the headers' bytes.
    package static let headerBound = 64 << 20
    /// The limit on boxes skipped before the headers.
    package static let boxBound = 256
    /// The limit on tracks.
    package static let trackBound = 1024

    /// The total; nil if unknown.
    package var seconds: Double?
    /// In the order of the file.
    package var tracks: [Track]

    /// Reads the headers of a file, wherever they are, without the media.
    ///
    /// Nil if it isn't an MP4, if it is truncated before the end of the headers, if it is fragmented, so that its
    /// headers don't have its duration, or if one of the bounds is exceeded. Passes on errors of `read`.
    /// - Parameter read: returns bytes from an offset, fewer only at the end of the file. It is called for 16 bytes up
    ///   to 256 times, then once for the headers.
    package static func read<Failure>(
        from read: (_ place: Int64, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> MovieLength? {
        var place: Int64 = 0
        for _ in 0..<boxBound {
            let header = try read(place, 16).withUnsafeBytes { MP4BoxHeader($0) }
            // Nothing can follow media that extend to the end.
            guard let header, header.length > 0, let length = Int64(exactly: header.length) else { return nil }
            if header.name == "moov" {
                guard length <= Int64(headerBound) else { return nil }
                let bytes = try read(place, Int(length))
                guard bytes.count >= Int(length) else { return nil }
                return bytes.withUnsafeBytes { MovieLength(MP4Boxes($0)) }
            }
            let (end, isTooFar) = place.addingReportingOverflow(length)
            guard !isTooFar else { return nil }
            place = end
        }
        return nil
    }

    private init?(_ file: MP4Boxes) {
        guard let movie = file.first("moov"), let header = movie.boxes.first("mvhd"),
            let time = MP4TimeHeader(header.body), movie.boxes.first("mvex") == nil
        else { return nil }
        seconds = time.seconds
        tracks = []
        for box in movie.boxes where box.name == "trak" {
            guard tracks.count < Self.trackBound else { return nil }
            guard let media = box.boxes.first("mdia") else { continue }
            let kind: TrackKind =
                switch media.boxes.first("hdlr")?.body.big(UInt32.self, at: 8).map({ MP4BoxName(code: $0) }) {
                case "vide": .video
                case "soun": .audio
                default: .other
                }
            let time = media.boxes.first("mdhd").flatMap { MP4TimeHeader($0.body) }
            tracks.append(Track(kind: kind, seconds: time?.seconds))
        }
    }
}
