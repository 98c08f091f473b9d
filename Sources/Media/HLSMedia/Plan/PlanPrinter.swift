import MediaTransfer
import TextFormats

/// Writes a plan as a media playlist (RFC 8216 §4).
struct PlanPrinter: RedactedInPrint {
    private let plan: StreamPlan
    private var text: String
    private var key: PlannedKey?
    private var map: Int?

    init(_ plan: StreamPlan) {
        self.plan = plan
        let longest = plan.segments.map { $0.duration.rounded() }.max() ?? 0
        let target = max(plan.targetDuration, Int64(min(longest, PlaylistLimit.seconds)))
        text = """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-TARGETDURATION:\(target)
            #EXT-X-MEDIA-SEQUENCE:\(plan.segments.first?.sequence ?? 0)
            #EXT-X-PLAYLIST-TYPE:VOD

            """
    }

    /// With absolute URLs, byte ranges and keys.
    mutating func absolute() -> String {
        for segment in plan.segments {
            if let index = segment.map, index != map {
                let next = plan.maps[index]
                use(next.key)
                write(map: next.url, next.range)
                map = index
            }
            use(segment.key)
            if let range = segment.range { line("#EXT-X-BYTERANGE:\(Self.text(range))") }
            write(segment, name: segment.url)
        }
        line("#EXT-X-ENDLIST")
        return text
    }

    /// With all segments in one file, none of them encrypted. Gaps are omitted.
    mutating func local(file: String, _ pieces: [JoinedPiece]) -> String {
        let name = Self.encoded(file)
        var offset: Int64 = 0
        var isBroken = false
        for (segment, piece) in zip(plan.segments, pieces) {
            if piece.initialization > 0 { write(map: name, offset..<offset + piece.initialization) }
            offset += piece.initialization
            isBroken = isBroken || segment.startsDiscontinuity
            guard piece.media > 0 else {
                isBroken = true
                continue
            }
            if isBroken { line("#EXT-X-DISCONTINUITY") }
            isBroken = false
            line("#EXTINF:\(Self.decimal(segment.duration)),")
            line("#EXT-X-BYTERANGE:\(Self.text(offset..<offset + piece.media))")
            line(name)
            offset += piece.media
        }
        line("#EXT-X-ENDLIST")
        return text
    }

    private mutating func use(_ next: PlannedKey?) {
        guard next != key else { return }
        key = next
        guard let next else { return line("#EXT-X-KEY:METHOD=NONE") }
        let digits = next.iv.hex
        line("#EXT-X-KEY:METHOD=AES-128,URI=\"\(next.url)\",IV=0x\(digits)")
    }

    private mutating func write(map name: String, _ range: Range<Int64>?) {
        line("#EXT-X-MAP:URI=\"\(name)\"" + (range.map { ",BYTERANGE=\"\(Self.text($0))\"" } ?? ""))
    }

    private mutating func write(_ segment: PlannedSegment, name: String) {
        if segment.startsDiscontinuity { line("#EXT-X-DISCONTINUITY") }
        if segment.isGap { line("#EXT-X-GAP") }
        line("#EXTINF:\(Self.decimal(segment.duration)),")
        line(name)
    }

    private mutating func line(_ content: String) {
        text += content
        text += "\n"
    }

    private static func text(_ range: Range<Int64>) -> String {
        "\(range.upperBound - range.lowerBound)@\(range.lowerBound)"
    }

    /// The shortest digits that read back as the same number, without an exponent.
    static func decimal(_ seconds: Double) -> String {
        let text = "\(seconds)"
        guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]) else {
            return text
        }
        let digits = text[..<mark].filter { $0 != "." }
        if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + digits }
        return digits + String(repeating: "0", count: max(0, exponent - digits.count + 1))
    }

    /// A local name, encoded so that no character of it has a meaning.
    private static func encoded(_ name: String) -> String {
        name.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.encoded(String($0)) }
            .joined(separator: "/")
    }
}
