/// The header of a box of ISO base media. Related: ISO/IEC 14496-12 §4.2.
enum MP4Box {
    /// What may come first in a segment or an initialization section, with the longest that is believed, in bytes.
    private static let firsts: [(name: StaticString, longest: UInt64)] = [
        ("ftyp", 4096), ("styp", 4096), ("moov", 1 << 28), ("moof", 1 << 26), ("sidx", 1 << 24), ("ssix", 1 << 24),
        ("emsg", 1 << 24), ("prft", 64), ("free", 1 << 24), ("skip", 1 << 24), ("uuid", 1 << 24), ("pdin", 1 << 16),
        ("mdat", 1 << 30),
    ]

    /// Whether the bytes begin with a box that media begin with, of a length that is plausible for it, and go on with
    /// another box, if they reach that far.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let box = header(bytes),
            let first = firsts.first(where: { $0.name.withUTF8Buffer { $0.elementsEqual(box.name) } }),
            box.length <= first.longest
        else { return false }
        guard box.length > 0, box.length < UInt64(bytes.count) else { return true }
        return isFollowed(UnsafeRawBufferPointer(rebasing: bytes[Int(box.length)...]))
    }

    /// Whether a box may begin here, of whatever name in ASCII; too few bytes to tell are believed.
    private static func isFollowed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 16 else { return true }
        guard let next = header(bytes) else { return false }
        return next.name.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0xA9 }
    }

    /// Name and length of the box that the bytes begin with; the length is 0 for a box that goes to the end, which only
    /// `mdat` may. Nil if the length is less than that of its header.
    private static func header(_ bytes: UnsafeRawBufferPointer) -> (
        name: Slice<UnsafeRawBufferPointer>, length: UInt64
    )? {
        guard bytes.count >= 8 else { return nil }
        let name = bytes[4..<8]
        let short = UInt64(bytes.loadUnaligned(as: UInt32.self).bigEndian)
        switch short {
        case 0: return name.elementsEqual("mdat".utf8) ? (name, 0) : nil
        case 1:
            guard bytes.count >= 16 else { return nil }
            let long = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
            return long >= 16 ? (name, long) : nil
        case 8...: return (name, short)
        default: return nil
        }
    }
}
