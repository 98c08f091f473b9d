struct MP4BoxHeader {
    var name: MP4BoxName
    /// The length of the whole box in bytes, at least ``size``; 0 if it extends to the end of its container.
    var length: UInt64
    /// The length of the header in bytes: 8 or 16.
    var size: Int

    /// Reads the header at the beginning of the bytes; 16 are always enough. Nil if it is truncated or gives a length
    /// below its own.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let short = bytes.big(UInt32.self, at: 0), let name = bytes.big(UInt32.self, at: 4) else { return nil }
        self.name = MP4BoxName(code: name)
        if short == 1 {
            guard let long = bytes.big(UInt64.self, at: 8), long >= 16 else { return nil }
            (length, size) = (long, 16)
        } else {
            guard short == 0 || short >= 8 else { return nil }
            (length, size) = (UInt64(short), 8)
        }
    }
}

/// The four characters that name a box or the kind of a track.
struct MP4BoxName: Equatable, ExpressibleByStringLiteral {
    var code: UInt32

    init(code: UInt32) { self.code = code }

    init(stringLiteral value: StaticString) {
        code = value.withUTF8Buffer { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension UnsafeRawBufferPointer {
    /// The big-endian number at an offset; nil if it is truncated.
    func big<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at place: Int) -> Number? {
        guard place >= 0, place <= count - MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: loadUnaligned(fromByteOffset: place, as: type))
    }
}
