package import Foundation
import SyncFacts

/// Local clock times.
package enum ClockFormat {
    /// The local clock time, `23:10`; with the date if that isn't the day of `now`: `22 Nov 23:10`.
    package static func local(_ date: Date, now: Date, zone: TimeZone) -> String {
        let day = LocalDay(of: date, in: zone)
        let today = LocalDay(of: now, in: zone)
        let time = LocalTime(of: date, in: zone).description
        guard day != today else { return time }
        let year = day.date.year == today.date.year ? "" : " \(day.date.year)"
        return "\(day.date.day) \(months[day.date.month - 1])\(year) \(time)"
    }

    /// The local day, `22 Nov 2026`.
    package static func day(_ date: Date, zone: TimeZone) -> String {
        let day = LocalDay(of: date, in: zone).date
        return "\(day.day) \(months[day.month - 1]) \(day.year)"
    }

    /// The local day and time in an order that sorts, `2026-11-22 23:10`.
    static func stamp(_ date: Date, zone: TimeZone) -> String {
        let day = LocalDay(of: date, in: zone).date
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(day.year)-\(two(day.month))-\(two(day.day)) \(LocalTime(of: date, in: zone))"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
