package import Foundation

/// A time of day on the wall clock, to the minute.
package struct LocalTime: Sendable, Hashable, Comparable {
    /// Minutes since midnight, from 0 to 1439.
    package let minutes: Int

    /// Nil unless `hour` is from 0 to 23 and `minute` from 0 to 59.
    package init?(hour: Int, minute: Int) {
        guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
        minutes = hour * 60 + minute
    }

    package init(minutes: Int) { self.minutes = minutes }

    /// The local time of an instant in the zone.
    package init(of date: Date, in zone: TimeZone) {
        minutes = Int((date.secondsShown(in: zone) / 60).rounded(.down)) - LocalDay(of: date, in: zone).number * 1440
    }

    /// Reads `08:00`; nil for anything else, `24:00` included.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let hour = Int(parts[0]), let minute = Int(parts[1])
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    package static func < (a: LocalTime, b: LocalTime) -> Bool { a.minutes < b.minutes }

    /// The first instant after `date` at which the zone's clock reaches this time.
    ///
    /// On a day that skips it: when the clock is put forward. On a day that has it twice: the first of the two.
    package func next(after date: Date, in zone: TimeZone) -> Date {
        let today = LocalDay(of: date, in: zone)
        for day in [today.previous, today, today.next] {
            let instant = instant(on: day, in: zone)
            if instant > date { return instant }
        }
        return instant(on: today.next.next, in: zone)
    }

    /// The first instant on that day at which the zone's clock shows this time, or a later one.
    func instant(on day: LocalDay, in zone: TimeZone) -> Date {
        let shown = Double(day.number * 86_400 + minutes * 60)
        // No zone is further from Greenwich than 26 hours, nor changes its offset twice within two days.
        var early = Date(timeIntervalSince1970: shown - 26 * 3600)
        var late = Date(timeIntervalSince1970: shown + 26 * 3600)
        let before = zone.secondsFromGMT(for: early)
        let after = zone.secondsFromGMT(for: late)
        let first = Date(timeIntervalSince1970: shown - Double(before))
        guard before != after else { return first }
        while late.timeIntervalSince(early) > 1 {
            let middle = Date(
                timeIntervalSince1970: ((early.timeIntervalSince1970 + late.timeIntervalSince1970) / 2).rounded(.down))
            if zone.secondsFromGMT(for: middle) == before { early = middle } else { late = middle }
        }
        return first < late ? first : max(late, Date(timeIntervalSince1970: shown - Double(after)))
    }
}

extension LocalTime: CustomStringConvertible {
    package var description: String { String(format: "%02d:%02d", minutes / 60, minutes % 60) }
}
