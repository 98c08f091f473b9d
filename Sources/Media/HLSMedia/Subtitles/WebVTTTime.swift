/// The times of WebVTT, in milliseconds. Related: WebVTT §3.1 (syntax), §6.3 (reading).
enum WebVTTTime {
    /// The last time that ``read(_:)`` takes, 99999:59:59.999.
    static let last: Int64 = 100_000 * 3_600_000 - 1

    /// The time at the beginning of a text, and the rest. Nil if there is none.
    ///
    /// Hours are optional, and may have up to 5 digits. A comma before the thousandths is accepted, too, since hosts
    /// keep it from other formats.
    static func read<Bytes: Collection<UInt8>>(_ text: Bytes) -> (milliseconds: Int64, rest: Bytes.SubSequence)? {
        var rest = text[...]
        guard let first = number(&rest, digits: 1...5), take(":", &rest), let second = number(&rest, digits: 2...2)
        else {
            return nil
        }
        var (hours, minutes, seconds) = (0 as Int64, first, second)
        if take(":", &rest) {
            guard let third = number(&rest, digits: 2...2) else { return nil }
            (hours, minutes, seconds) = (first, second, third)
        }
        guard minutes < 60, seconds < 60, take(".", &rest) || take(",", &rest),
            let thousandths = number(&rest, digits: 3...3)
        else { return nil }
        return (((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths, rest)
    }

    /// Always with hours, as `00:00:00.000`. A negative time is 0, and one after ``last`` is that.
    static func text(_ milliseconds: Int64) -> String {
        let time = min(max(0, milliseconds), last)
        let padded = { (number: Int64, width: Int) in
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let (hours, minutes, seconds) = (time / 3_600_000, time / 60_000 % 60, time / 1000 % 60)
        return "\(padded(hours, 2)):\(padded(minutes, 2)):\(padded(seconds, 2)).\(padded(time % 1000, 3))"
    }

    private static func number<Bytes: Collection<UInt8>>(_ text: inout Bytes, digits: ClosedRange<Int>) -> Int64?
    where Bytes.SubSequence == Bytes {
        var (number, count) = (0 as Int64, 0)
        while let byte = text.first, (0x30...0x39).contains(byte) {
            count += 1
            guard count <= digits.upperBound else { return nil }
            number = number * 10 + Int64(byte - 0x30)
            text.removeFirst()
        }
        return count < digits.lowerBound ? nil : number
    }

    private static func take<Bytes: Collection<UInt8>>(_ character: Unicode.Scalar, _ text: inout Bytes) -> Bool
    where Bytes.SubSequence == Bytes {
        guard text.first == UInt8(ascii: character) else { return false }
        text.removeFirst()
        return true
    }
}
