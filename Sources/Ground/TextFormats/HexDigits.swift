/// One hexadecimal digit, as a byte of text.
package enum HexDigit {
    /// The value of a digit in either case; nil for any other byte.
    @inlinable @inline(__always)
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The digit of the lower four bits.
    package static func lower(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The digit of the lower four bits.
    package static func upper(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension [UInt8] {
    /// The bytes of an even number of hex digits in either case; nil for anything else.
    package init?(hex: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hex.utf8.count / 2)
        var high: UInt8?
        for character in hex.utf8 {
            guard let digit = HexDigit.value(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self = bytes
    }
}

extension Sequence<UInt8> {
    /// Lower-case hex digits, two for each byte.
    package var hex: String {
        withContiguousStorageIfAvailable(hexDigits) ?? Array(self).withUnsafeBufferPointer(hexDigits)
    }
}

private func hexDigits(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
        for (index, byte) in bytes.enumerated() {
            text[2 * index] = HexDigit.lower(byte >> 4)
            text[2 * index + 1] = HexDigit.lower(byte)
        }
        return 2 * bytes.count
    }
}
