/// The beginnings of segments and initialization sections of ISO base media. Related: ISO/IEC 14496-12 §4.2.
enum MP4Box {
    /// The boxes that may come first in a segment or an initialization section, with their largest plausible length in
    /// bytes.
    private static let firsts: [(name: MP4BoxName, longest: UInt64)] = [
        ("ftyp", 4096), ("styp", 4096), ("moov", 1 << 28), ("moof", 1 << 26), ("sidx", 1 << 24), ("ssix", 1 << 24),
        ("emsg", 1 << 24), ("prft", 64), ("free", 1 << 24), ("skip", 1 << 24), ("uuid", 1 << 24), ("pdin", 1 << 16),
        ("mdat", 1 << 30),
    ]

    /// Whether the bytes begin with a plausible first box, and continue with another box, if they reach that far.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let box = header(bytes), let first = firsts.first(where: { $0.name == box.name }),
            box.length <= first.longest
        else { return false }
        guard box.length > 0, box.length < UInt64(bytes.count) else { return true }
        return isFollowed(UnsafeRawBufferPointer(rebasing: bytes[Int(box.length)...]))
    }

    /// Whether a box with any ASCII name may begin here; true for too few bytes.
    private static func isFollowed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 16 else { return true }
        return header(bytes) != nil && bytes[4..<8].allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0xA9 }
    }

    /// The header at the beginning of the bytes. Only `mdat` may extend to the end of the file.
    private static func header(_ bytes: UnsafeRawBufferPointer) -> MP4BoxHeader? {
        MP4BoxHeader(bytes).flatMap { $0.length > 0 || $0.name == "mdat" ? $0 : nil }
    }
}
