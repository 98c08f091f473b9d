/// `X-TIMESTAMP-MAP`: maps a time of the cues to a time of the media (RFC 8216 §3.5).
struct TimestampMap: Sendable, Equatable {
    /// MPEG-2 times have 33 bits.
    static let period: Int64 = 1 << 33

    /// Of the media, in ticks of 90 kHz; less than 2³³.
    var media: Int64
    /// Of the cues, in milliseconds.
    var local: Int64

    /// Reads a line such as `X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000`, its parts in either order. Nil if one
    /// is missing or invalid.
    init?(line: Substring) {
        var (media, local) = (nil as Int64?, nil as Int64?)
        for part in line.dropFirst(Self.name.count + 1).split(separator: ",") {
            guard let colon = part.firstIndex(of: ":") else { continue }
            let value = part[part.index(after: colon)...].filter { $0 != " " && $0 != "\t" }[...]
            switch part[..<colon].filter({ $0 != " " && $0 != "\t" }).uppercased() {
            case "MPEGTS": media = UInt64(value).map { Int64($0 % UInt64(Self.period)) }
            case "LOCAL": local = WebVTTTime.read(value.utf8).flatMap { $0.rest.isEmpty ? $0.milliseconds : nil }
            default: break
            }
        }
        guard let media, let local else { return nil }
        self.media = media
        self.local = local
    }

    /// Whether a line has its prefix.
    static func isMap(_ line: Substring) -> Bool { line.hasPrefix(name + "=") || line.hasPrefix(name + ":") }

    private static let name = "X-TIMESTAMP-MAP"

    /// The offset to add to times of cues, in milliseconds, so that the media's time `origin` becomes 0.
    ///
    /// The media's times wrap after 26.5 hours; of the possible offsets the one is taken that puts a cue at `cue`
    /// nearest to `expected`, both in milliseconds.
    func offset(origin: Int64, cue: Int64, expected: Int64) -> Int64 {
        let offset = Double(media - origin) / 90 - Double(local)
        let turn = Double(Self.period) / 90
        let turns = ((Double(expected) - Double(cue) - offset) / turn).rounded()
        return Int64((offset + turns * turn).rounded())
    }
}
