/// Finds when the first fragment of ISO base media begins. Related: ISO/IEC 14496-12 §8.8.12; RFC 8216 §3.3.
enum FragmentClock {
    /// The earliest of the times of its tracks. Nil if the bytes don't hold a whole initialization section and behind it the
    /// whole headers of a fragment, or these tell no time.
    static func begin(of bytes: UnsafeRawBufferPointer) -> MediaTime? {
        var timescales: [UInt32: UInt32] = [:]
        for box in MP4Boxes(bytes) where box.isWhole {
            switch box.name {
            case "moov": timescales = self.timescales(in: box)
            case "moof": return begin(ofFragment: box, timescales: timescales)
            default: continue
            }
        }
        return nil
    }

    /// The units of the tracks, by the track's number.
    private static func timescales(in movie: MP4Boxes.Box) -> [UInt32: UInt32] {
        var timescales: [UInt32: UInt32] = [:]
        for track in movie.boxes where track.name == "trak" {
            guard let header = track.boxes.first("tkhd")?.body, let version = header.first, version <= 1,
                let number = header.big(UInt32.self, at: version == 0 ? 12 : 20),
                let media = track.boxes.first("mdia")?.boxes.first("mdhd"), let time = MP4TimeHeader(media.body)
            else { continue }
            timescales[number] = time.timescale
        }
        return timescales
    }

    private static func begin(ofFragment fragment: MP4Boxes.Box, timescales: [UInt32: UInt32]) -> MediaTime? {
        var begin: MediaTime?
        for track in fragment.boxes where track.name == "traf" {
            guard let number = track.boxes.first("tfhd")?.body.big(UInt32.self, at: 4),
                let timescale = timescales[number], let decode = track.boxes.first("tfdt")?.body
            else { continue }
            let value =
                switch decode.first {
                case 0: decode.big(UInt32.self, at: 4).map { UInt64($0) }
                case 1: decode.big(UInt64.self, at: 4)
                default: nil as UInt64?
                }
            begin = MediaClock.earlier(begin, value.flatMap { MediaTime($0, timescale: timescale) })
        }
        return begin
    }
}
