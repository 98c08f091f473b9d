#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Points in time as the protocol writes them (RFC 3339).
package enum Timestamp {
    /// `date` in UTC, in whole seconds (rounded down), or with milliseconds if it has any.
    package static func text(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
        let (days, inDay) = floorDivide(milliseconds, 86_400_000)
        let (year, month, day) = civil(days: days)
        let clock = inDay / 1000
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        text += "\(padded(clock / 3600, 2)):\(padded(clock / 60 % 60, 2)):\(padded(clock % 60, 2))"
        if inDay % 1000 != 0 { text += "." + padded(inDay % 1000, 3) }
        return text + "Z"
    }

    /// The point in time that `text` names, or nil if it isn't RFC 3339: year to second, an optional fraction, and
    /// `Z` or an offset. A leap second counts as the last second of its minute.
    ///
    /// Related: RFC 3339 §5.6
    package static func date(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest, 2), skip(&rest, "-"),
            let day = number(&rest, 2), skip(&rest, "Tt "), let hour = number(&rest, 2), skip(&rest, ":"),
            let minute = number(&rest, 2), skip(&rest, ":"), let second = number(&rest, 2),
            (1...12).contains(month), (1...daysIn(month: month, year: year)).contains(day),
            hour < 24, minute < 60, second <= 60
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
        var offset: Int64 = 0
        if !skip(&rest, "Zz") {
            guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                let hours = number(&rest, 2), skip(&rest, ":"), let minutes = number(&rest, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        let clock = hour * 3600 + minute * 60 + min(second, 59)
        let seconds = days(year: year, month: month, day: day) * 86_400 + clock - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int64? {
        guard rest.count >= count, rest.prefix(count).allSatisfy({ (48...57).contains($0) }) else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 * 10 + Int64($1 - 48) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ anyOf: StaticString) -> Bool {
        guard let first = rest.first, anyOf.withUTF8Buffer({ $0.contains(first) }) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func daysIn(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorDivide(_ value: Int64, _ by: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = (value % by + by) % by
        return ((value - remainder) / by, remainder)
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension KeyedDecodingContainer {
    /// The time under `key`, nil if there is none.
    func decodeTimestampIfPresent(forKey key: Key) throws -> Date? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let date = Timestamp.date(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "isn't a time like 2026-11-21T02:00:00Z")
        }
        return date
    }

    /// The time under `key`.
    func decodeTimestamp(forKey key: Key) throws -> Date {
        guard let date = try decodeTimestampIfPresent(forKey: key) else {
            throw DecodingError.valueNotFound(Date.self, .init(codingPath: codingPath + [key], debugDescription: ""))
        }
        return date
    }
}
