import TextFormats

/// Numbers in the form of RFC 8216 §4.2. Nil for invalid ones; the caller knows whether that is an error.
extension PlaylistLine {
    /// Digits only; nil also for 2^62 and above, see ``PlaylistLimit/integer``.
    func integer(_ range: Range<Int>) -> Int64? {
        guard !range.isEmpty else { return nil }
        var value: Int64 = 0
        for index in range {
            guard let digit = digit(index) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow, product < PlaylistLimit.integer else { return nil }
            value = product + digit
        }
        return value < PlaylistLimit.integer ? value : nil
    }

    /// Digits with at most one point, at most 64 characters, without a sign.
    func decimal(_ range: Range<Int>) -> Double? {
        guard !range.isEmpty, range.count <= 64 else { return nil }
        var points = 0
        for index in range where digit(index) == nil {
            guard bytes[index] == UInt8(ascii: ".") else { return nil }
            points += 1
        }
        guard points <= 1, points < range.count else { return nil }
        // A point may be first or last here, which the standard library doesn't accept.
        let text = text(range)
        let value = Double((text.hasPrefix(".") ? "0" + text : text) + (text.hasSuffix(".") ? "0" : ""))
        return value
    }

    /// `length[@offset]` of EXT-X-BYTERANGE and of EXT-X-MAP (RFC 8216 §4.3.2.2), with a length of at least 1.
    func byteRange(_ range: Range<Int>) -> (length: Int64, offset: Int64?)? {
        let at = range.first { bytes[$0] == UInt8(ascii: "@") }
        guard let length = integer(range.lowerBound..<(at ?? range.upperBound)), length > 0 else { return nil }
        guard let at else { return (length, nil) }
        return integer(at + 1..<range.upperBound).map { (length, $0) }
    }

    /// `width x height`.
    func resolution(_ range: Range<Int>) -> FrameSize? {
        guard let mark = range.first(where: { bytes[$0] | 0x20 == UInt8(ascii: "x") }),
            let width = integer(range.lowerBound..<mark), let height = integer(mark + 1..<range.upperBound),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        return FrameSize(width: Int(width), height: Int(height))
    }

    /// A hexadecimal number of at most 128 bits, with or without `0x`, as 16 bytes, big-endian.
    func initializationVector(_ range: Range<Int>) -> [UInt8]? {
        var first = range.lowerBound
        if range.count >= 2, bytes[first] == UInt8(ascii: "0"), bytes[first + 1] | 0x20 == UInt8(ascii: "x") {
            first += 2
        }
        guard (1...32).contains(range.upperBound - first) else { return nil }
        var result = [UInt8](repeating: 0, count: 16)
        for (place, index) in (first..<range.upperBound).reversed().enumerated() {
            guard let digit = HexDigit.value(bytes[index]) else { return nil }
            result[15 - place / 2] |= place.isMultiple(of: 2) ? digit : digit << 4
        }
        return result
    }

    private func digit(_ index: Int) -> Int64? {
        let byte = bytes[index]
        return (0x30...0x39).contains(byte) ? Int64(byte - 0x30) : nil
    }
}
