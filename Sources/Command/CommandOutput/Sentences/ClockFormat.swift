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

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
