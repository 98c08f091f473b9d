import TextFormats

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeyedDecodingContainer {
    /// The time under `key`, nil if it is missing.
    func decodeTimestampIfPresent(forKey key: Key) throws -> Date? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let date = Timestamp.date(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "isn't a time like 2026-11-21T02:00:00Z")
        }
        return date
    }

    /// The time under `key`.
    func decodeTimestamp(forKey key: Key) throws -> Date {
        guard let date = try decodeTimestampIfPresent(forKey: key) else {
            throw DecodingError.valueNotFound(Date.self, .init(codingPath: codingPath + [key], debugDescription: ""))
        }
        return date
    }
}
