import ProviderKit

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Points in time as headers and feeds write them.
///
/// Related: RFC 9110 §5.6.7, RFC 5322 §3.3, RFC 3339
package enum WebDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let zones = [
        "gmt": 0, "utc": 0, "ut": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7,
    ]

    /// This machine's time, in whole seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// The point in time, in whichever form; nil for anything else. A weekday isn't checked.
    package static func date(_ text: String) -> Date? {
        Timestamp.date(text) ?? seconds(text).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// The forms of HTTP and mail in whole seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`, `6 Nov 94 08:49 +0100`,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`. A time without a zone is UTC.
    package static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        var words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        if let first = words.first, first.first?.isNumber == false, month(first) == nil { words.removeFirst() }
        if let first = words.first, first.contains("-") {
            words.replaceSubrange(0..<1, with: first.split(separator: "-"))
        }
        // asctime has the month first and the year last.
        if words.count >= 4, month(words[0]) != nil { words = [words[1], words[0], words[3], words[2]] }
        guard words.count >= 3, let day = Int(words[0]), let month = month(words[1]), var year = Int(words[2]),
            year >= 0
        else { return nil }
        if words[2].count <= 2 { year += year < 70 ? 2000 : 1900 }
        guard year < 10_000, let civil = CivilDate(year: year, month: month, day: day) else { return nil }
        var clock = 0
        if words.count >= 4 {
            let parts = words[3].split(separator: ":").map { Int($0) ?? -1 }
            guard (2...3).contains(parts.count), (0..<24).contains(parts[0]), (0..<60).contains(parts[1]),
                (0...60).contains(parts.count == 3 ? parts[2] : 0)
            else { return nil }
            clock = parts[0] * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)
        }
        guard let offset = words.count >= 5 ? offset(words[4]) : 0 else { return nil }
        return Int64(civil.daysSince1970 * 86_400 + clock - offset)
    }

    private static func month(_ word: Substring) -> Int? {
        word.count >= 3 ? months.firstIndex { word.hasPrefix($0) }.map { $0 + 1 } : nil
    }

    /// In seconds. The name of an unknown zone counts as UTC, as RFC 5322 §4.3 wants it.
    private static func offset(_ word: Substring) -> Int? {
        guard let sign = word.first, sign == "+" || sign == "-" else { return (zones[String(word)] ?? 0) * 3600 }
        let digits = word.dropFirst().filter { $0 != ":" }
        guard digits.count == 4, let number = Int(digits) else { return nil }
        return (number / 100 * 3600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
    }
}
