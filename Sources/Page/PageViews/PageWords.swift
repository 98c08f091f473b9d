import CommandOutput
import DownloadStore
import Foundation
import Operations
import SyncFacts

/// Texts of the page: times, dates, states.
enum PageWords {
    /// A playing time: `4:31`, `1:02:03`.
    static func clock(_ seconds: Double) -> String {
        let total = Int(min(max(0, seconds.isFinite ? seconds : 0), 1e7))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = total / 60 % 60
        return total < 3600 ? "\(minutes):\(two(total % 60))" : "\(total / 3600):\(two(minutes)):\(two(total % 60))"
    }

    /// A playing time in words: `12 min`, `3 h 20 min`.
    static func span(_ seconds: Double) -> String {
        let minutes = max(1, Int((min(max(0, seconds), 1e9) / 60).rounded()))
        if minutes < 60 { return "\(minutes) min" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `12 Nov 2026`.
    static func date(_ date: Date, _ frame: PageFrame) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = frame.zone
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return "\(parts.day ?? 1) \(months[((parts.month ?? 1) - 1) % 12]) \(parts.year ?? 1970)"
    }

    /// When a file came: `Added today`, `Added 12 Nov 2026`.
    static func added(_ date: Date, _ frame: PageFrame) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = frame.zone
        if calendar.isDate(date, inSameDayAs: frame.now) { return "Added today" }
        let yesterday = frame.now.addingTimeInterval(-86400)
        return calendar.isDate(date, inSameDayAs: yesterday) ? "Added yesterday" : "Added \(self.date(date, frame))"
    }

    /// `30 Nov 02:00`, in the zone of the page.
    static func instant(_ date: Date, _ frame: PageFrame) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = frame.zone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let year = calendar.component(.year, from: frame.now) == parts.year ? "" : " \(parts.year ?? 1970)"
        let day = "\(parts.day ?? 1) \(months[((parts.month ?? 1) - 1) % 12])\(year)"
        return "\(day) \(two(parts.hour)):\(two(parts.minute))"
    }

    /// The first letters of a title, for a picture that isn't there; none of a script without letters.
    static func letters(_ title: String) -> String {
        let words = title.split { !$0.isLetter && !$0.isNumber }.prefix(12)
        let starts = words.filter { $0.first?.isUppercase == true || $0.first?.isNumber == true }
        guard let first = words.first else { return "–" }
        let chosen = starts.isEmpty ? [first] : Array(starts.prefix(2))
        if chosen.count == 1, chosen[0].first?.isCased == false { return String(chosen[0].prefix(2)) }
        return String(chosen.compactMap(\.first))
    }

    /// One of the colours for it, from 0 to 5.
    static func tone(_ id: String) -> Int { Int(id.utf8.reduce(5381) { ($0 &* 33 &+ UInt32($1)) } % 6) }

    /// What is to be said about the state of a video; nothing for a finished one.
    static func states(_ row: StatusRow) -> [Fields] {
        var states: [Fields] = []
        func add(_ name: String, _ text: String) { states.append(["name": name, "text": text]) }
        if row.gone { add("gone", row.path == nil ? "No longer in its course" : "No longer in its course; kept here") }
        switch row.state {
        case .finished: break
        case .active:
            let percent = row.size.map { $0 > 0 ? Wording.percent(Double(row.bytes) / Double($0)) : "0%" }
            add("downloading", percent.map { "Downloading \($0)" } ?? "Downloading")
        case .failed: add("failed", "Failed: " + (row.error?.message ?? "no reason is known"))
        case .paused: add("paused", "Paused")
        case .cancelled: add("stopped", "Cancelled")
        case .suspended, .waiting:
            guard !row.gone else { break }
            let begun = row.bytes > 0 && row.size ?? 0 > 0
            let percent = begun ? Wording.percent(Double(row.bytes) / Double(row.size ?? 1)) + " here, " : ""
            add("waiting", begun ? "\(percent)waiting" : "Waiting")
        }
        if row.sidecarsFailed > 0 { add("failed", "Subtitles or attachments failed") }
        return states
    }
}
