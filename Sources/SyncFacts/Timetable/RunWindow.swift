import DownloadStore
package import Foundation
import ProviderKit

/// The limits on a run's duration.
package struct RunWindow: Sendable, Hashable {
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

    package init(maxDuration: Duration? = nil, until: End? = nil) {
        self.maxDuration = maxDuration
        self.until = until
    }

    /// The time at which the window of a run closes that began at `start`, possibly in the past; nil if it never does.
    package func closes(startedAt start: Date, in zone: TimeZone) -> Date? {
        let end: Date? =
            switch until {
            case .time(let time): time.next(after: start, in: zone)
            case .instant(let date): date
            case nil: nil
            }
        return [maxDuration.map { start.advanced(by: $0) }, end].compactMap(\.self).min()
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
