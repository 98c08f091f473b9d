/// The start time of packed audio, from the ID3 tags before it (RFC 8216 §3.4).
///
/// It is in a `PRIV` frame: the name of its owner, a zero, and a big-endian number of 8 bytes, of which 33 bits count.
enum ID3Timestamp {
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]

    /// The first one in the tags at the beginning of the bytes.
    static func first(in bytes: UnsafeRawBufferPointer) -> MediaTime? {
        var start = 0
        for _ in 0..<ID3Tag.countBound {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let length = ID3Tag.length(in: rest) else { return nil }
            let end = min(length, rest.count)
            if let found = time(inTag: UnsafeRawBufferPointer(rebasing: rest[..<end])) { return found }
            start += end
        }
        return nil
    }

    /// Related: ID3v2.3.0 §3.1, §3.2; ID3v2.4.0 §3.1, §3.2. Version 2.2 has no such frames.
    private static func time(inTag tag: UnsafeRawBufferPointer) -> MediaTime? {
        let (version, flags) = (tag[3], tag[5])
        guard version >= 3 else { return nil }
        // Version 2.3 unsynchronizes the whole body, 2.4 each frame.
        let isWhole = version == 3 && flags & 0x80 != 0
        let body = isWhole ? synchronized(tag[10...]) : Array(tag[10...])
        var start = 0
        if flags & 0x40 != 0 {
            guard body.count >= 4 else { return nil }
            // Version 2.4 includes the length field itself.
            start = version == 3 ? 4 + Int(number(body[..<4], bits: 8)) : Int(number(body[..<4], bits: 7))
        }
        while body.count - start >= 10, body[start] != 0 {
            let length = Int(number(body[(start + 4)..<(start + 8)], bits: version == 3 ? 8 : 7))
            let content = body[(start + 10)...].prefix(length)
            guard content.count == length else { return nil }
            let isPrivate = body[start...].starts(with: Array("PRIV".utf8))
            if isPrivate, let found = time(inFrame: content, version: version, flags: body[start + 9]) { return found }
            start += 10 + length
        }
        return nil
    }

    /// Related: ID3v2.3.0 §3.3.1; ID3v2.4.0 §4.1.2, §4.27.
    private static func time(inFrame content: ArraySlice<UInt8>, version: UInt8, flags: UInt8) -> MediaTime? {
        var content = content
        if version == 3 {
            // Neither compressed nor encrypted; a group takes a byte.
            guard flags & 0xC0 == 0 else { return nil }
            if flags & 0x20 != 0 { content = content.dropFirst() }
        } else {
            guard flags & 0x0C == 0 else { return nil }
            if flags & 0x40 != 0 { content = content.dropFirst() }
            // The length of the data, which is known anyway.
            if flags & 0x01 != 0 { content = content.dropFirst(4) }
            if flags & 0x02 != 0 { content = synchronized(content)[...] }
        }
        guard content.starts(with: owner) else { return nil }
        let value = content.dropFirst(owner.count).prefix(8)
        return value.count == 8 ? MediaTime(transport: number(value, bits: 8)) : nil
    }

    /// Big-endian, with this number of bits per byte; at most 8 bytes.
    private static func number(_ bytes: ArraySlice<UInt8>, bits: UInt64) -> UInt64 {
        bytes.reduce(0) { $0 << bits | UInt64($1) & (1 << bits - 1) }
    }

    /// Without the zeros after 255. Related: ID3v2.4.0 §6.1.
    private static func synchronized(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var last: UInt8 = 0
        for byte in bytes {
            if last != 0xFF || byte != 0 { result.append(byte) }
            last = byte
        }
        return result
    }
}
