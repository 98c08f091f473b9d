import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Dates as web servers write them into their listings. One without a zone is taken for UTC.
enum ListedDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// The time of a link: that of its `<time>`, else the first date with a time of day in the text behind it.
    static func date(of link: PageLinks.Link) -> Date? {
        if let time = link.time {
            let text = time.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if let date = WebDate.date(text) ?? date(in: text) { return date }
        }
        return date(in: HTMLStripper.unescaped(String(decoding: link.after, as: UTF8.self)))
    }

    /// The first date with a time of day: `20-Nov-2026 23:00` (nginx), `2026-11-20 23:00` (Apache), `2026-Nov-20
    /// 23:00:00` (lighttpd, fancyindex), `20Nov2026 23:00` (mini_httpd), `20 Nov 2026 23:00:00 GMT` (wsgidav),
    /// `2026-11-20 23:00:00.5 +0000 UTC` (rclone).
    static func date(in text: String) -> Date? {
        let words = text.split { $0.isWhitespace || $0 == "," }
        for index in words.indices {
            var (count, found) = (1, day(words[index]))
            if found == nil, words[index...].count > 3 {
                (count, found) = (3, day(words[index...].prefix(3).joined(separator: "-")[...]))
            }
            guard let found, let clock = words.dropFirst(index + count).first, clock.contains(":") else { continue }
            let zone = words.dropFirst(index + count + 1).first.flatMap { isZone($0) ? $0 : nil } ?? "GMT"
            if let date = WebDate.date("\(found) \(clock.prefix { $0 != "." }) \(zone)") { return date }
        }
        return nil
    }

    /// A day in the form of mail.
    private static func day(_ word: Substring) -> String? {
        var parts = word.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 1, word.utf8.count == 9 {
            parts = [word.prefix(2), word.dropFirst(2).prefix(3), word.suffix(4)]
        }
        guard parts.count == 3 else { return nil }
        if parts[0].count == 4 { parts.swapAt(0, 2) }
        guard let day = number(parts[0], upTo: 31), let year = number(parts[2], upTo: 9999), parts[2].count == 4,
            let month = number(parts[1], upTo: 12) ?? months.firstIndex(of: parts[1].lowercased()).map({ $0 + 1 })
        else { return nil }
        return "\(day) \(months[month - 1]) \(year)"
    }

    private static func number(_ text: Substring, upTo bound: Int) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), (1...bound).contains(number)
        else { return nil }
        return number
    }

    private static func isZone(_ word: Substring) -> Bool {
        ["GMT", "UTC", "Z"].contains(word) || ((word.first == "+" || word.first == "-") && word.count == 5)
    }
}
