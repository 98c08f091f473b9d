package import Foundation
import ProviderKit
import TextFormats

extension Date {
    /// RFC 3339 in UTC, to the second: `2026-11-21T02:00:00Z`. Dates outside of the years 1 to 9999 are clamped.
    package var rfc3339: String {
        Timestamp.text(Date(timeIntervalSince1970: boundedSeconds.rounded(.down)))
    }

    /// The zone's clock time in seconds, counted from its beginning of 1970.
    func secondsShown(in zone: TimeZone) -> Double { boundedSeconds + Double(zone.secondsFromGMT(for: self)) }

    /// Seconds since 1970, clamped to the years 1 to 9999.
    private var boundedSeconds: Double {
        let seconds = timeIntervalSince1970
        return seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0
    }
}
