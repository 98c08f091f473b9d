package import Foundation
import ProviderKit
import TextFormats

/// A day of the calendar, without a zone.
package struct LocalDay: Sendable, Hashable {
    /// Days since 1 January 1970.
    package let number: Int

    package init(number: Int) { self.number = number }

    /// The local day of an instant in the zone.
    package init(of date: Date, in zone: TimeZone) {
        number = Int((date.secondsShown(in: zone) / 86_400).rounded(.down))
    }

    package var previous: LocalDay { LocalDay(number: number - 1) }
    package var next: LocalDay { LocalDay(number: number + 1) }

    /// 0 for Sunday. 1 January 1970 was a Thursday.
    package var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    /// The calendar date: the month from 1 to 12, the day from 1 to 31.
    package var date: (year: Int, month: Int, day: Int) {
        let date = CivilDate(daysSince1970: number)
        return (date.year, date.month, date.day)
    }
}
