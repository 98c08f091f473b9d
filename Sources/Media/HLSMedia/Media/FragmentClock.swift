/// Finds the start time of the first fragment of ISO base media. Related: ISO/IEC 14496-12 §8.8.12; RFC 8216 §3.3.
enum FragmentClock {
    /// The earliest of the times of its tracks. Nil unless the bytes contain a complete initialization section and
    /// after it the complete headers of a fragment with a time.
    static func begin(of bytes: UnsafeRawBufferPointer) -> MediaTime? {
        var tracks: [UInt32: Track] = [:]
        for box in MP4Boxes(bytes) where box.isWhole {
            switch box.name {
            case "moov": tracks = self.tracks(in: box)
            case "moof": return begin(ofFragment: box, tracks)
            default: continue
            }
        }
        return nil
    }

    private struct Track {
        /// Units per second.
        var timescale: UInt32
        /// Ticks of 90 kHz by which its edit list delays it (ISO/IEC 14496-12 §8.6.6).
        var wait: UInt64
    }

    /// The tracks by number.
    private static func tracks(in movie: MP4Boxes.Box) -> [UInt32: Track] {
        var tracks: [UInt32: Track] = [:]
        let unit = movie.boxes.first("mvhd").flatMap { MP4TimeHeader($0.body) }?.timescale ?? 0
        for track in movie.boxes where track.name == "trak" {
            guard let header = track.boxes.first("tkhd")?.body, let version = header.first, version <= 1,
                let number = header.big(UInt32.self, at: version == 0 ? 12 : 20),
                let media = track.boxes.first("mdia")?.boxes.first("mdhd"), let time = MP4TimeHeader(media.body)
            else { continue }
            let edits = track.boxes.first("edts")?.boxes.first("elst")?.body
            let wait = edits.flatMap(wait).flatMap { MediaTime($0, timescale: unit) }?.ticks ?? 0
            tracks[number] = Track(timescale: time.timescale, wait: wait)
        }
        return tracks
    }

    /// The length of the first edit, in units of the movie, if it has no media; else nil.
    private static func wait(_ edits: UnsafeRawBufferPointer) -> UInt64? {
        guard let count = edits.big(UInt32.self, at: 4), count > 0 else { return nil }
        switch edits.first {
        case 0: return edits.big(UInt32.self, at: 12) == .max ? edits.big(UInt32.self, at: 8).map { UInt64($0) } : nil
        case 1: return edits.big(UInt64.self, at: 16) == .max ? edits.big(UInt64.self, at: 8) : nil
        default: return nil
        }
    }

    private static func begin(ofFragment fragment: MP4Boxes.Box, _ tracks: [UInt32: Track]) -> MediaTime? {
        var begin: MediaTime?
        for track in fragment.boxes where track.name == "traf" {
            guard let number = track.boxes.first("tfhd")?.body.big(UInt32.self, at: 4),
                let known = tracks[number], let decode = track.boxes.first("tfdt")?.body
            else { continue }
            let value =
                switch decode.first {
                case 0: decode.big(UInt32.self, at: 4).map { UInt64($0) }
                case 1: decode.big(UInt64.self, at: 4)
                default: nil as UInt64?
                }
            begin = MediaClock.earlier(
                begin, value.flatMap { MediaTime($0, timescale: known.timescale)?.later(by: known.wait) })
        }
        return begin
    }
}
