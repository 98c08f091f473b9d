import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
    /// Seconds since 1970, up to the year 9999; nil for anything else, and for zero, with which hosts say that there is
    /// no date.
    init?(seconds: JSONValue?) {
        guard let seconds = seconds?.number, (1..<253_402_300_800).contains(seconds) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }
}
