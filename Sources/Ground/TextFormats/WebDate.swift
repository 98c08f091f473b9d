#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Points in time as mails, feeds, listings and careless servers write them. What HTTP allows in a header is for
/// ``HTTPDate``.
///
/// Related: RFC 5322 §3.3, RFC 3339
package enum WebDate {
    /// In minutes.
    private static let zones = [
        "gmt": 0, "utc": 0, "ut": 0, "z": 0, "wet": 0, "west": 60, "bst": 60, "cet": 60, "met": 60, "mez": 60,
        "cest": 120, "mest": 120, "mesz": 120, "eet": 120, "eest": 180, "msk": 180, "hkt": 480, "sgt": 480,
        "jst": 540, "kst": 540, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780, "est": -300, "edt": -240,
        "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "akst": -540, "akdt": -480,
        "hst": -600,
    ]

    /// The point in time, in whichever form; nil for anything else. A weekday isn't checked.
    package static func date(_ text: String) -> Date? {
        Timestamp.date(text) ?? (seconds(text) ?? isoSeconds(text)).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// The forms of HTTP and mail in whole seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`, `6 Nov 94 08:49 +0100`,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`, `Nov 6, 1994`, `1994-Nov-06 08:49`. A time without
    /// a zone is UTC, a day without a time its beginning.
    package static func seconds(_ text: String) -> Int64? {
        guard var words = words(text, separators: " ,\t\n\r") else { return nil }
        if let first = words.first, first.first?.isNumber == false, MonthName.number(first.utf8) == nil {
            words.removeFirst()
        }
        if let first = words.first, first.contains("-") {
            let parts = first.split(separator: "-")
            words.replaceSubrange(0..<1, with: parts.first?.count == 4 ? parts.reversed() : parts)
        }
        if words.count >= 3, MonthName.number(words[0].utf8) != nil {
            words.swapAt(0, 1)
            // asctime has the year last.
            if words.count >= 4, words[2].contains(":") { words.swapAt(2, 3) }
        }
        guard words.count >= 3, let day = number(words[0]), let month = MonthName.number(words[1].utf8),
            var year = number(words[2])
        else { return nil }
        if words[2].count <= 2 { year += year < 70 ? 2000 : 1900 }
        return seconds(year, month, day, clock: words.dropFirst(3).first, zone: words.dropFirst(4).first)
    }

    /// The forms that ISO 8601 allows beside RFC 3339: `2026-09-21`, `2026-09-21T10:00+02:00`, `2026-09-21 10:00:00
    /// CEST`.
    private static func isoSeconds(_ text: String) -> Int64? {
        guard var words = words(text, separators: " \t\n\r"), let first = words.first else { return nil }
        words.replaceSubrange(
            0..<1, with: first.split(separator: "t", maxSplits: 1, omittingEmptySubsequences: false))
        let day = words[0].split(separator: "-", omittingEmptySubsequences: false).map { number($0) ?? -1 }
        guard day.count == 3, words[0].prefix(5).utf8.count == 5, words[0].dropFirst(4).first == "-" else { return nil }
        guard words.count > 1 else { return seconds(day[0], day[1], day[2], clock: nil, zone: nil) }
        let clock = words[1].prefix { $0.isNumber || $0 == ":" || $0 == "." }
        let zone = words[1].dropFirst(clock.count)
        return seconds(
            day[0], day[1], day[2], clock: clock, zone: zone.isEmpty ? words.dropFirst(2).first : zone)
    }

    private static func words(_ text: String, separators: String) -> [Substring]? {
        guard text.utf8.count <= 64 else { return nil }
        return text.lowercased().split { separators.contains($0) || $0.isNewline }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func seconds(
        _ year: Int, _ month: Int, _ day: Int, clock: Substring?, zone: Substring?
    ) -> Int64? {
        guard (0..<10_000).contains(year), let civil = CivilDate(year: year, month: month, day: day) else { return nil }
        var time = 0
        if let clock {
            // Without a fraction.
            let parts = clock.prefix { $0 != "." }.split(separator: ":", omittingEmptySubsequences: false)
                .map { number($0) ?? -1 }
            guard (2...3).contains(parts.count), (0..<24).contains(parts[0]), (0..<60).contains(parts[1]),
                (0...60).contains(parts.count == 3 ? parts[2] : 0)
            else { return nil }
            time = parts[0] * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)
        }
        guard let offset = zone.map({ offset($0) }) ?? 0 else { return nil }
        return Int64(civil.daysSince1970 * 86_400 + time - offset)
    }

    /// In seconds: `+0200`, `-05:30`, `+02`, `CEST`, `GMT+2`. The name of an unknown zone counts as UTC, as RFC 5322
    /// §4.3 wants it.
    private static func offset(_ word: Substring) -> Int? {
        let name = word.prefix(while: \.isLetter)
        let rest = word.dropFirst(name.count)
        guard let sign = rest.first, sign == "+" || sign == "-" else { return (zones[String(name)] ?? 0) * 60 }
        let digits = rest.dropFirst().filter { $0 != ":" }
        guard let number = number(digits[...]), digits.count == 4 || digits.count == 2 || !name.isEmpty,
            digits.count <= 4
        else { return nil }
        let minutes = digits.count > 2 ? number / 100 * 60 + number % 100 : number * 60
        return minutes * 60 * (sign == "-" ? -1 : 1)
    }
}
