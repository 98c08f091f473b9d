/// ID3 tags before packed audio (RFC 8216 §3.4), by their length alone.
package enum ID3Tag {
    /// The limit on skipped tags.
    static let countBound = 16

    /// The total length of the tags at the beginning; 0 if there is none. Never more than there are bytes.
    package static func totalLength(in bytes: UnsafeRawBufferPointer) -> Int {
        var end = 0
        for _ in 0..<countBound {
            guard let length = length(in: UnsafeRawBufferPointer(rebasing: bytes[end...])) else { break }
            end = min(end + length, bytes.count)
        }
        return end
    }

    /// The length of the tag at the beginning of the bytes, its header and footer included; it may exceed the bytes.
    /// Nil if there is no tag. Related: ID3v2.4.0 §3.1, §3.4.
    static func length(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 10, bytes.starts(with: [0x49, 0x44, 0x33]), (2...4).contains(bytes[3]), bytes[4] != 0xFF,
            bytes[6..<10].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let length = bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
        let hasFooter = bytes[3] == 4 && bytes[5] & 0x10 != 0
        return 10 + length + (hasFooter ? 10 : 0)
    }
}
