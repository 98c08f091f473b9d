import MediaTransfer

/// One line of a playlist, with its position in the text, for errors.
struct PlaylistLine: RedactedInPrint {
    /// The whole text.
    let bytes: [UInt8]
    /// From 1 on.
    let number: Int
    /// The start of the line in ``bytes``.
    let start: Int
    /// The line without surrounding spaces; never empty.
    let content: Range<Int>

    /// The byte at `offset` of the content; nil beyond its end.
    func byte(_ offset: Int) -> UInt8? {
        content.lowerBound + offset < content.upperBound ? bytes[content.lowerBound + offset] : nil
    }

    /// Whether the content begins with `text`.
    func hasPrefix(_ text: String) -> Bool {
        guard content.count >= text.utf8.count else { return false }
        var index = content.lowerBound
        for byte in text.utf8 {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// The name of a tag without `#`, and its value without surrounding spaces (empty without a colon); nil if the line
    /// is a comment or a URI.
    var tag: (name: String, value: Range<Int>)? {
        guard hasPrefix("#EXT") else { return nil }
        var colon = content.lowerBound + 4
        while colon < content.upperBound, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
        var value = min(colon + 1, content.upperBound)
        while value < content.upperBound, isBlank(value) { value += 1 }
        var end = colon
        while end > content.lowerBound, isBlank(end - 1) { end -= 1 }
        return (text(content.lowerBound + 1..<end), value..<content.upperBound)
    }

    /// Whether there is a space or a tab at `index`.
    func isBlank(_ index: Int) -> Bool { bytes[index] == 0x20 || bytes[index] == 0x09 }

    /// `range` as text; invalid UTF-8 becomes U+FFFD.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// An error at `index` of the text, or at the start of the content.
    func error(_ message: String, at index: Int? = nil) -> PlaylistError {
        PlaylistError(line: number, column: (index ?? content.lowerBound) - start + 1, message: message)
    }
}
