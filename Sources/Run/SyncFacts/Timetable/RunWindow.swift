import DownloadStore
package import Foundation
import ProviderKit
import TextFormats

/// The limits on a run's duration.
package struct RunWindow: Sendable, Hashable {
    /// The hours of each day in which a run may download, over midnight if the end is before the beginning.
    package struct Hours: Sendable, Hashable {
        package var from: LocalTime
        package var to: LocalTime

        /// The next end if they have begun at `date`; nil if they haven't.
        func end(at date: Date, in zone: TimeZone) -> Date? {
            let end = to.next(after: date, in: zone)
            return end < from.next(after: date, in: zone) ? end : nil
        }
    }

    /// The end of the window, in one of two forms.
    package enum End: Sendable, Hashable {
        /// The next occurrence of a local time.
        case time(LocalTime)
        case instant(Date)
    }

    /// Counted from the start of the run, including the wait for another one.
    package var maxDuration: Duration?
    /// The other limit; the earlier of the two counts.
    package var until: End?
    /// The hours outside of which no run begins, and at whose end it stops.
    package var between: Hours?

    package init(maxDuration: Duration? = nil, until: End? = nil, between: Hours? = nil) {
        self.maxDuration = maxDuration
        self.until = until
        self.between = between
    }

    /// When the hours begin in which a run may download; nil if it may now.
    package func opens(after date: Date, in zone: TimeZone) -> Date? {
        guard let between, between.end(at: date, in: zone) == nil else { return nil }
        return between.from.next(after: date, in: zone)
    }

    /// The time at which the window of a run closes that began at `start`, possibly in the past; nil if it never does.
    package func closes(startedAt start: Date, in zone: TimeZone) -> Date? {
        let end: Date? =
            switch until {
            case .time(let time): time.next(after: start, in: zone)
            case .instant(let date): date
            case nil: nil
            }
        let hours = between.map { $0.end(at: start, in: zone) ?? start }
        return [maxDuration.map { start.advanced(by: $0) }, end, hours].compactMap(\.self).min()
    }
}

extension RunWindow.Hours: CustomStringConvertible {
    /// The text in a setting.
    package var description: String { "\(from)-\(to)" }

    /// Reads `01:00-06:00`; nil for anything else, also for hours that end when they begin.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = LocalTime(parts[0]), let to = LocalTime(parts[1]), from != to else {
            return nil
        }
        self.init(from: from, to: to)
    }
}

extension RunWindow.End: CustomStringConvertible {
    /// The text in a setting.
    package var description: String {
        switch self {
        case .time(let time): time.description
        case .instant(let date): Timestamp.text(date)
        }
    }

    /// Reads `06:00`, or an RFC 3339 time such as `2026-11-22T06:00:00+01:00`; nil for anything else.
    package init?(_ text: String) {
        if let time = LocalTime(text) {
            self = .time(time)
        } else if let date = Timestamp.date(text) {
            self = .instant(date)
        } else {
            return nil
        }
    }
}
