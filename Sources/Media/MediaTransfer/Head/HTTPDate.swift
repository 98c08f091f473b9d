/// A time of HTTP in any of its three forms (RFC 9110 §5.6.7), as whole seconds since 1970.
package enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Nil for anything else. The weekday is not checked. `currentYear` determines the century of the two-digit form:
    /// more than 50 years ahead means the last century.
    package static func seconds(_ text: String, currentYear: Int = 2026) -> Int64? {
        if let seconds = fixdate(text) { return seconds }
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" })
        // Sun, 06 Nov 1994 08:49:37 GMT
        if words.count == 6, words[5] == "GMT" || words[5] == "UTC" {
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        if words.count == 4, words[3] == "GMT" || words[3] == "UTC" {
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].utf8.count == 2, let short = ASCII.number(parts[2]) else { return nil }
            var year = Int(short) + currentYear / 100 * 100
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
            let number = { (range: Range<Int>) -> Int64? in
                range.reduce(Int64?(0)) { value, index in
                    ASCII.isDigit(bytes[index]) ? value.map { $0 * 10 + Int64(bytes[index] - 0x30) } : nil
                }
            }
            let month = months.firstIndex { $0.utf8.elementsEqual(bytes[8..<11].lazy.map(ASCII.lowercased)) }
            guard let day = number(5..<7), let month, let year = number(12..<16), let hour = number(17..<19),
                let minute = number(20..<22), let second = number(23..<25)
            else { return nil }
            return seconds(day, month, year, hour, minute, second)
        }
        return found ?? nil
    }

    private static func seconds(day: Substring, month: Substring, year: Substring, time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let day = ASCII.number(day), let year = ASCII.number(year), clock.count == 3,
            let month = months.firstIndex(of: ASCII.lowercased(month)),
            let hour = ASCII.number(clock[0]), let minute = ASCII.number(clock[1]), let second = ASCII.number(clock[2])
        else { return nil }
        return seconds(day, month, year, hour, minute, second)
    }

    /// `month` counts from 0.
    private static func seconds(
        _ day: Int64, _ month: Int, _ year: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
    ) -> Int64? {
        guard year >= 1970, year <= 9999, hour < 24, minute < 60, second <= 60 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day >= 1, day <= lengths[month] else { return nil }
        let past = year - 1
        let days =
            (year - 1970) * 365 + (past / 4 - past / 100 + past / 400) - 477
            + Int64(lengths[..<month].reduce(0, +)) + day - 1
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}
