/// The lines of a text, read lazily: a text of nothing but line ends has as many lines as bytes.
///
/// A line ends with CR, LF or both. Invalid UTF-8, and NUL, becomes U+FFFD (WebVTT §6.1).
struct WebVTTLines {
    private let text: String
    /// Nil after the last line.
    private var place: String.Index?

    init(_ bytes: Slice<UnsafeRawBufferPointer>) {
        text =
            bytes.contains(0)
            ? String(decoding: bytes.lazy.map { (byte: UInt8) -> UInt8 in byte == 0 ? 0xFF : byte }, as: UTF8.self)
            : String(decoding: bytes, as: UTF8.self)
        place = text.utf8.startIndex
    }

    /// The next line without its end; there is one after the last line end, too, possibly empty.
    mutating func next() -> Substring? {
        guard let start = place else { return nil }
        let utf8 = text.utf8
        guard let end = utf8[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
            place = nil
            return text[start...]
        }
        var next = utf8.index(after: end)
        if utf8[end] == 0x0D, next < utf8.endIndex, utf8[next] == 0x0A { next = utf8.index(after: next) }
        place = next
        return text[start..<end]
    }
}
