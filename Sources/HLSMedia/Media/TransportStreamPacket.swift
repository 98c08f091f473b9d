/// The packets of a Transport Stream, by their headers. Related: ISO/IEC 13818-1 §2.4.3.
enum TransportStreamPacket {
    static let length = 188
    static let sync: UInt8 = 0x47
    /// How many headers are looked at.
    private static let enough = 5

    /// Whether the bytes are packets, as far as they show it, up to 5 headers. Any packet may be the first, and the last
    /// may be cut off.
    ///
    /// At least two headers are asked for; one comes about by chance once in 1,600 times. With five of them the first may
    /// stand anywhere in the first 188 bytes, for hosts that cut streams where they like or put the header of an image
    /// in front; players find the packets all the same.
    static func begin(_ bytes: UnsafeRawBufferPointer) -> Bool { start(in: bytes) != nil }

    /// Where the first of the packets begins, less than 188; nil if the bytes aren't packets.
    static func start(in bytes: UnsafeRawBufferPointer) -> Int? {
        let count = headers(bytes, from: 0)
        if count == enough || (count >= 2 && count * length >= bytes.count) { return 0 }
        guard bytes.count > enough * length else { return nil }
        return (1..<length).first { headers(bytes, from: $0) == enough }
    }

    /// How many of up to 5 headers that follow each other at 188 bytes are those of packets.
    private static func headers(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var count = 0
        while count < enough, isHeader(bytes, at: start + count * length) { count += 1 }
        return count
    }

    /// A sync byte, not scrambled, with a payload or an adaptation field that fits. A header that the end of the bytes cuts
    /// off is looked at as far as it is there, and is none if nothing is.
    private static func isHeader(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start < bytes.count, bytes[start] == sync else { return false }
        guard start + 4 < bytes.count else { return true }
        let flags = bytes[start + 3]
        guard flags & 0xC0 == 0, flags & 0x30 != 0 else { return false }
        let adaptation = Int(bytes[start + 4])
        return flags & 0x20 == 0 || adaptation <= (flags & 0x10 == 0 ? 183 : 182)
    }
}
