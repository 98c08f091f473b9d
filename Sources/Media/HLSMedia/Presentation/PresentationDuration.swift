/// Durations of XML Schema, such as `PT1H2M3.5S`.
enum PresentationDuration {
    /// In seconds. Nil if it isn't a duration, if it is negative or longer than ``PlaylistLimit/seconds``, or if it has
    /// years or months, whose lengths differ.
    static func seconds(_ text: String) -> Double? {
        var rest = text.utf8.drop { $0 <= 0x20 }
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var (seconds, count, isTime) = (0.0, 0, false)
        while let first = rest.first, first > 0x20 {
            if first == UInt8(ascii: "T"), !isTime {
                isTime = true
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == 0x2E }
            rest = rest.dropFirst(digits.count)
            guard digits.count <= 32, let number = Double(String(decoding: digits, as: UTF8.self)),
                let letter = rest.popFirst(), let unit = unit(letter, isTime: isTime), unit > 0 || number == 0
            else { return nil }
            seconds += number * unit
            count += 1
        }
        guard count > 0, rest.allSatisfy({ $0 <= 0x20 }), seconds <= PlaylistLimit.seconds else { return nil }
        return seconds
    }

    /// In seconds; 0 if its length differs.
    private static func unit(_ letter: UInt8, isTime: Bool) -> Double? {
        switch (letter, isTime) {
        case (UInt8(ascii: "Y"), false), (UInt8(ascii: "M"), false): 0
        case (UInt8(ascii: "D"), false): 86_400
        case (UInt8(ascii: "H"), true): 3_600
        case (UInt8(ascii: "M"), true): 60
        case (UInt8(ascii: "S"), true): 1
        default: nil
        }
    }
}
