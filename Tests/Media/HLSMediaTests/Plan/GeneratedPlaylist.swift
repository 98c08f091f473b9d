import SeededGenerator

/// Media playlists made up from a seed: complete, in order, with every feature that a plan has.
struct GeneratedPlaylist {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func next() -> UInt64 { generator.next() }

    /// From 0 to `bound - 1`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick(_ list: [String]) -> String { list[below(list.count)] }

    /// With relative URIs among them only if `isRelative`.
    mutating func text(isRelative: Bool) -> String {
        var lines = ["#EXTM3U", "#EXT-X-MEDIA-SEQUENCE:\(next() >> UInt64(2 + below(62)))"]
        if chance(80) { lines.append("#EXT-X-TARGETDURATION:\(below(20))") }
        let folders =
            isRelative
            ? ["", "../", "/", "x/y/", "?n=", "//j/", "https://i:81/ü/"] : ["https://i/t/", "https://i/u/v%20w/"]
        var before: String?
        for _ in 0..<1 + below(12) {
            if chance(15) { lines.append("#EXT-X-DISCONTINUITY") }
            if chance(10) { lines.append("#EXT-X-GAP") }
            if chance(15) { lines.append("#EXT-X-KEY:METHOD=NONE") }
            if chance(25) {
                let iv = chance(50) ? ",IV=0x\(String(next(), radix: 16))" : ""
                lines.append("#EXT-X-KEY:METHOD=AES-128,URI=\"\(pick(folders))k\(below(3))\"\(iv)")
            }
            if chance(25) {
                let range = chance(50) ? ",BYTERANGE=\"\(1 + below(99))@\(below(9))\"" : ""
                lines.append("#EXT-X-MAP:URI=\"\(pick(folders))m\(below(3))\"\(range)")
                if chance(20) { lines.append("#EXT-X-KEY:METHOD=NONE") }
            }
            var uri = "\(pick(folders))s\(below(5)).m4s?t=\(below(9))"
            if let last = before, chance(50) {
                uri = last
                lines.append("#EXT-X-BYTERANGE:\(1 + below(1_000))")
            } else if chance(40) {
                lines.append("#EXT-X-BYTERANGE:\(1 + below(1_000))@\(next() >> 12)")
                before = uri
            } else {
                before = nil
            }
            lines.append("#EXTINF:\(Double(below(2_000_000)) / Double(1 + below(200_000))),")
            lines.append(uri)
        }
        return lines.joined(separator: "\n") + "\n#EXT-X-ENDLIST\n"
    }
}
