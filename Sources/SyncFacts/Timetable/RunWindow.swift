import DownloadStore
package import Foundation
import ProviderKit

/// How long a run may take.
package struct RunWindow: Sendable, Hashable {
    /// When it has to be over, however it was said.
    package enum End: Sendable, Hashable {
        /// The next time that a clock on the wall shows it.
        case time(LocalTime)
        case instant(Date)
    }

    /// Counted from the start of the run, waiting for another one included.
    package var maxDuration: Duration?
    /// The other bound; the earlier of the two counts.
    package var until: End?

    package init(maxDuration: Duration? = nil, until: End? = nil) {
        self.maxDuration = maxDuration
        self.until = until
    }

    /// When the window of a run closes that began at `start`, which may be over already; nil if it never does.
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
    /// As it is written in a setting.
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
