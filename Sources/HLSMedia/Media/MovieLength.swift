/// How long an MP4 plays, and each of its tracks, as its headers say. Related: ISO/IEC 14496-12 §8.2, §8.4.
///
/// The length of a track is that of its media; what an edit list leaves out of them or puts in front isn't reckoned in.
package struct MovieLength: Sendable, Equatable {
    /// What a track holds.
    package enum TrackKind: Sendable, Equatable {
        case video
        case audio
        case other
    }

    /// A track of the file.
    package struct Track: Sendable, Equatable {
        package var kind: TrackKind
        /// Nil if the file doesn't say.
        package var seconds: Double?
    }

    /// The headers may have this many bytes.
    package static let headerBound = 64 << 20
    /// No more boxes than this are passed over on the way to the headers.
    package static let boxBound = 256
    /// A file may have this many tracks.
    package static let trackBound = 1024

    /// Of the whole; nil if the file doesn't say.
    package var seconds: Double?
    /// In the order of the file.
    package var tracks: [Track]

    /// Reads the headers of a file, wherever in it they are, and nothing of the media.
    ///
    /// Nil if it is no MP4, if it is cut off before the end of the headers, if it is a fragmented one, whose headers
    /// don't tell its length, or if one of the bounds is passed. Throws what `read` does.
    /// - Parameter read: gives so many bytes from a place on, fewer only where the file ends. It is asked for 16 bytes up
    ///   to 256 times, then for the headers once.
    package static func read<Failure>(
        from read: (_ place: Int64, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> MovieLength? {
        var place: Int64 = 0
        for _ in 0..<boxBound {
            let header = try read(place, 16).withUnsafeBytes { MP4BoxHeader($0) }
            // Media that go to the end have nothing behind them.
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
