/// A time of HTTP in any of its three forms (RFC 9110 §5.6.7), as whole seconds since 1970.
package enum HTTPDate {
    /// Nil for anything else. The weekday is not checked. `now`, in seconds since 1970, determines the century of the
    /// two-digit form: more than 50 years ahead means the last century.
    package static func seconds(_ text: String, now: Int64) -> Int64? {
        if let seconds = fixdate(text) { return seconds }
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" })
        // Sun, 06 Nov 1994 08:49:37 GMT
        if words.count == 6, words[5] == "GMT" || words[5] == "UTC" {
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        if words.count == 4, words[3] == "GMT" || words[3] == "UTC" {
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].utf8.count == 2, let short = number(parts[2]) else { return nil }
            let currentYear = CivilDate(daysSince1970: Int(now / 86_400)).year
            var year = short + currentYear / 100 * 100
            if year > currentYear + 50 { year -= 100 }
            return seconds(day: parts[0], month: parts[1], year: "\(year)", time: words[2])
        }
        // Sun Nov  6 08:49:37 1994
        if words.count == 5 {
            return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
        }
        return nil
    }

    /// The form that nearly all servers send, parsed in place: two come with each response. Nil for any other.
    private static func fixdate(_ text: String) -> Int64? {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes -> Int64? in
            let form = "___, __ ___ ____ __:__:__ GMT".utf8
            guard bytes.count == form.count,
                zip(bytes, form).allSatisfy({ $1 == UInt8(ascii: "_") ? $0 > UInt8(ascii: " ") : $0 == $1 })
            else { return nil }
            let number = { (range: Range<Int>) -> Int? in
                range.reduce(Int?(0)) { value, index in
                    (0x30...0x39).contains(bytes[index]) ? value.map { $0 * 10 + Int(bytes[index] - 0x30) } : nil
                }
            }
            guard let day = number(5..<7), let month = MonthName.number(bytes[8..<11]), let year = number(12..<16),
                let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25)
            else { return nil }
            return seconds(
                day: day, month: month, year: year, hour: hour, minute: minute, second: second)
        }
        return found ?? nil
    }

    private static func seconds(day: Substring, month: Substring, year: Substring, time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(day), let year = number(year), clock.count == 3, month.utf8.count == 3,
            let month = MonthName.number(month.utf8),
            let hour = number(clock[0]), let minute = number(clock[1]), let second = number(clock[2])
        else { return nil }
        return seconds(
            day: day, month: month, year: year, hour: hour, minute: minute, second: second)
    }

    private static func seconds(
        day: Int, month: Int, year: Int, hour: Int, minute: Int, second: Int
    ) -> Int64? {
        guard year >= 1970, year <= 9999, hour < 24, minute < 60, second <= 60,
            let civil = CivilDate(year: year, month: month, day: day)
        else { return nil }
        return Int64(((civil.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second)
    }

    /// Nil for anything but digits, "" and "+1" included, and for what doesn't fit.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// The English names of months, as HTTP and mail have them.
enum MonthName {
    private static let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// From 1, by the first three letters in either case, whatever follows.
    static func number(_ word: some Sequence<UInt8>) -> Int? {
        let letters = word.lazy.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }.prefix(3)
        return names.firstIndex { $0.utf8.elementsEqual(letters) }.map { $0 + 1 }
    }
}
