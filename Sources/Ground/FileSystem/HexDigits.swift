extension [UInt8] {
    /// The bytes of an even number of hex digits; nil for anything else.
    package init?(hex: String) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in hex.utf8 {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue.map(UInt8.init) else { return nil }
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
            text[2 * index] = hexDigit(byte >> 4)
            text[2 * index + 1] = hexDigit(byte & 15)
        }
        return 2 * bytes.count
    }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
