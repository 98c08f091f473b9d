package import Foundation

/// Points in time as text, by plain arithmetic: no calendar is loaded for it.
package enum Timestamp {
    /// RFC 3339 in UTC, to the second: `2026-11-21T02:00:00Z`.
    package static func rfc3339(_ date: Date) -> String {
        let seconds = Int(bounded(date.timeIntervalSince1970).rounded(.down))
        let (year, month, day) = civil(days: floored(seconds, by: 86400))
        let time = seconds - floored(seconds, by: 86400) * 86400
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock(time, withSeconds: true))Z"
    }

    /// The local clock time, `23:10`; with the date before it where that isn't the day of `now`: `22 Nov 23:10`.
    package static func local(_ date: Date, now: Date, zone: TimeZone) -> String {
        let seconds = Int(bounded(date.timeIntervalSince1970).rounded(.down)) + zone.secondsFromGMT(for: date)
        let today = floored(Int(bounded(now.timeIntervalSince1970)) + zone.secondsFromGMT(for: now), by: 86400)
        let days = floored(seconds, by: 86400)
        let time = clock(seconds - days * 86400, withSeconds: false)
        guard days != today else { return time }
        let (year, month, day) = civil(days: days)
        let thisYear = civil(days: today).year
        return "\(day) \(months[month - 1])\(year == thisYear ? "" : " \(year)") \(time)"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func clock(_ time: Int, withSeconds: Bool) -> String {
        "\(padded(time / 3600, 2)):\(padded(time % 3600 / 60, 2))" + (withSeconds ? ":\(padded(time % 60, 2))" : "")
    }

    /// Days since 1970-01-01 as a date of the Gregorian calendar, counted in years that begin in March.
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floored(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func bounded(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0
    }

    private static func floored(_ number: Int, by divisor: Int) -> Int {
        (number - (number % divisor + divisor) % divisor) / divisor
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
