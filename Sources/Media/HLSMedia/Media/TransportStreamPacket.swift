/// The packets of a Transport Stream, by their headers. Related: ISO/IEC 13818-1 §2.4.3.
enum TransportStreamPacket {
    static let length = 188
    static let sync: UInt8 = 0x47
    /// The number of headers that are checked.
    private static let enough = 5

    /// Whether the bytes are packets, according to up to 5 headers. Any packet may be the first, and the last may be
    /// truncated.
    ///
    /// At least two headers are required; one occurs by chance once in 1,600 times. With five of them the first may be
    /// anywhere in the first 188 bytes, for hosts that cut streams at any byte or prepend the header of an image;
    /// players find the packets all the same.
    static func begin(_ bytes: UnsafeRawBufferPointer) -> Bool { start(in: bytes) != nil }

    /// The offset of the first packet, less than 188; nil if the bytes aren't packets.
    static func start(in bytes: UnsafeRawBufferPointer) -> Int? {
        let count = headers(bytes, from: 0)
        if count == enough || (count >= 2 && count * length >= bytes.count) { return 0 }
        guard bytes.count > enough * length else { return nil }
        return (1..<length).first { headers(bytes, from: $0) == enough }
    }

    /// The number of valid headers among up to 5 at intervals of 188 bytes.
    private static func headers(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var count = 0
        while count < enough, isHeader(bytes, at: start + count * length) { count += 1 }
        return count
    }

    /// Whether there is a sync byte, not scrambled, with a payload or an adaptation field that fits. A truncated header
    /// is checked as far as it exists, and is invalid if nothing of it does.
    private static func isHeader(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start < bytes.count, bytes[start] == sync else { return false }
        guard start + 4 < bytes.count else { return true }
        let flags = bytes[start + 3]
        guard flags & 0xC0 == 0, flags & 0x30 != 0 else { return false }
        let adaptation = Int(bytes[start + 4])
        return flags & 0x20 == 0 || adaptation <= (flags & 0x10 == 0 ? 183 : 182)
    }
}
