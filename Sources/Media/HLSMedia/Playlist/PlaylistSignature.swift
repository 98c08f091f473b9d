/// The start of the text, which distinguishes a playlist from a web page.
enum PlaylistSignature {
    /// Reads lines up to and including `#EXTM3U`. Related: RFC 8216 §4.3.1.1.
    ///
    /// Blank lines and comments before it are accepted, as some packagers write them.
    static func check(_ lines: inout PlaylistLines) throws(PlaylistError) {
        if lines.isUTF16 { throw PlaylistError(line: 1, message: "the playlist is UTF-16, not UTF-8") }
        while let line = try lines.next() {
            if isStart(line) { return }
            guard line.byte(0) == UInt8(ascii: "#"), !line.hasPrefix("#EXT") else { throw refusal(line) }
        }
        throw PlaylistError(line: 1, message: "the playlist is empty")
    }

    private static func isStart(_ line: PlaylistLine) -> Bool {
        guard line.hasPrefix("#EXTM3U") else { return false }
        guard let next = line.byte(7) else { return true }
        return next == UInt8(ascii: " ") || next == UInt8(ascii: "\t")
    }

    private static func refusal(_ line: PlaylistLine) -> PlaylistError {
        switch line.byte(0) {
        case UInt8(ascii: "<"): line.error("a web page or other markup, not a playlist")
        case UInt8(ascii: "{"), UInt8(ascii: "["): line.error("JSON, not a playlist")
        default: line.error("not a playlist: the first line has to be #EXTM3U")
        }
    }
}
