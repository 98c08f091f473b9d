#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Points in time in the form of RFC 3339, which the protocol of plugins has, too.
package enum Timestamp {
    /// `date` in UTC, in whole seconds (rounded down), or with milliseconds if it has any.
    package static func text(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded(.down))
        let (days, inDay) = milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000)
        let civil = CivilDate(daysSince1970: days)
        let clock = inDay / 1000
        var text = "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))T"
        text += "\(padded(clock / 3600, 2)):\(padded(clock / 60 % 60, 2)):\(padded(clock % 60, 2))"
        if inDay % 1000 != 0 { text += "." + padded(inDay % 1000, 3) }
        return text + "Z"
    }

    /// The point in time of `text`, or nil if it isn't RFC 3339: year to second, an optional fraction, and `Z` or an
    /// offset. A leap second counts as the last second of its minute.
    ///
    /// Related: RFC 3339 §5.6
    package static func date(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest, 2), skip(&rest, "-"),
            let day = number(&rest, 2), skip(&rest, "Tt "), let hour = number(&rest, 2), skip(&rest, ":"),
            let minute = number(&rest, 2), skip(&rest, ":"), let second = number(&rest, 2),
            let civil = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        if skip(&rest, ".") {
            var unit = 0.1
            var digits = 0
            while let digit = number(&rest, 1) {
                fraction += Double(digit) * unit
                unit /= 10
                digits += 1
            }
            if digits == 0 { return nil }
        }
        var offset = 0
        if !skip(&rest, "Zz") {
            guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                let hours = number(&rest, 2), skip(&rest, ":"), let minutes = number(&rest, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        let clock = hour * 3600 + minute * 60 + min(second, 59)
        let seconds = civil.daysSince1970 * 86_400 + clock - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        guard rest.count >= count, rest.prefix(count).allSatisfy({ (48...57).contains($0) }) else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ anyOf: StaticString) -> Bool {
        guard let first = rest.first, anyOf.withUTF8Buffer({ $0.contains(first) }) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
