/// Recognizes text by its beginning: subtitles, and hosts' responses in place of a segment.
enum TextSignature {
    /// WebVTT, or a page; nil for anything else.
    static func kind(of bytes: UnsafeRawBufferPointer) -> MediaKind? {
        let text = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        if isWebVTT(text) { return .webVTT }
        // Blank lines before the text, as templates leave them.
        let words = text.prefix(1024).drop { blanks.contains($0) }
        return isMarkup(words) || isJSON(words) ? .page : nil
    }

    private static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20]

    /// Related: WebVTT §4.1, §6.1.
    private static func isWebVTT(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard text.starts(with: "WEBVTT".utf8) else { return false }
        return text.dropFirst(6).first.map(blanks.contains) ?? true
    }

    /// `<` followed by a name, a declaration or a comment.
    private static func isMarkup(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard text.first == UInt8(ascii: "<"), let next = text.dropFirst().first else { return false }
        let isLetter = (0x61...0x7A).contains(next | 0x20)
        return (isLetter || next == UInt8(ascii: "!") || next == UInt8(ascii: "?")) && isPrintable(text)
    }

    /// An object or an array.
    private static func isJSON(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        let followers: Set<UInt8>
        switch text.first {
        case UInt8(ascii: "{"): followers = Set("\"}".utf8)
        case UInt8(ascii: "["): followers = Set("\"{[]-0123456789tfn".utf8)
        default: return false
        }
        let next = text.dropFirst().first { !blanks.contains($0) }
        return next.map(followers.contains) ?? true && isPrintable(text)
    }

    /// No control characters at its beginning.
    private static func isPrintable(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        text.prefix(32).allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || blanks.contains($0) }
    }
}
