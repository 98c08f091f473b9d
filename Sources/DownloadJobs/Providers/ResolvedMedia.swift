import Crypto
import FileSystem
package import Foundation
import MediaTransfer
package import ProviderKit
import RunSchedule

/// A provider's answer and what became of it. Lives in memory only.
package struct ResolvedMedia: Sendable, PrintsRedacted {
    let resolution: Resolution
    let origin: Origin
    let resolvedAt: Date
    /// When it ends by its own word, or by a mark in the URL; nil if nothing says so.
    let expiresAt: Date?
    /// Requests that have been made with it.
    private(set) var uses = 0
    /// All that its URL leads to has been read and is at hand, as playlists are: nothing more is asked of the URL itself.
    var isRead = false

    package init?(_ resolution: Resolution, at now: Date) {
        guard let origin = Origin(url: resolution.url) else { return nil }
        self.resolution = resolution
        self.origin = origin
        resolvedAt = now
        expiresAt = resolution.expiresAt ?? ExpiryMark.expiry(of: resolution.url, now: now)
    }

    /// Digest of all that the server sees of a request for it: the very same request gets the very same bytes. Never
    /// stored.
    var identity: RequestDigest {
        var parts = [resolution.url, resolution.kind.rawValue]
        parts += resolution.headers.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        if let token = resolution.token {
            parts += [token.placement.rawValue, token.name, token.prefix, token.value]
        }
        var hash = SHA256()
        for part in parts {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Data(part.utf8))
        }
        return RequestDigest(hash.finalize())
    }

    /// Counts a request.
    mutating func use() { uses += 1 }

    /// Whether a request may be begun with it at `now`.
    ///
    /// The margin is a tenth of the lifetime, at most 60 s. An answer that is less than 2 s old is always tried once,
    /// whatever it says of its end: clocks differ, and only the server knows.
    package func isUsable(at now: Date) -> Bool {
        if resolution.singleUse, uses > 0 { return false }
        return isInTime(at: now)
    }

    /// Whether its time isn't over, however often it has been used.
    func isInTime(at now: Date) -> Bool {
        guard let expiresAt else { return true }
        if uses == 0, now.timeIntervalSince(resolvedAt) < 2 { return true }
        let margin = min(60, max(0, expiresAt.timeIntervalSince(resolvedAt)) / 10)
        return now < expiresAt.addingTimeInterval(-margin)
    }

    /// Whether it has ended by its own word.
    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Whether another request of a stream may be begun: in time, unless its end was at hand when the answer came. Clocks
    /// differ, and then only the server knows.
    func mayGoOn(at now: Date) -> Bool {
        guard let expiresAt, expiresAt.timeIntervalSince(resolvedAt) > 2 else { return true }
        return isInTime(at: now)
    }

    /// A request for the media, with the token where it belongs.
    func request(start: TransferRequest.Start, expectedSize: Int64?, limitRate: Int64?) -> TransferRequest {
        var request = sidecarRequest(resolution.url)
        request.allowsMarkup = false
        request.start = start
        request.expectedSize = expectedSize ?? resolution.size
        request.limitRate = limitRate
        return request
    }

    /// A request for a playlist, a key or a segment of the stream: the token goes to its origins only. What the answer is
    /// is told by its bytes: hosts give media the type of a page, and pages that of media.
    func streamRequest(_ url: String, limitRate: Int64?) -> TransferRequest {
        var request = sidecarRequest(url)
        request.limitRate = limitRate
        return request
    }

    /// A request for something else that the resolution names: the same fields, the token only for its origins.
    func sidecarRequest(_ url: String) -> TransferRequest {
        var request = TransferRequest(url: url)
        request.allowsMarkup = true
        request.trustedOrigins = Set(resolution.token?.origins.compactMap { Origin(url: $0) } ?? [])
        request.trustedOrigins.insert(origin)
        request.fields = resolution.headers.sorted { $0.key < $1.key }.map { HTTPField(name: $0.key, value: $0.value) }
        if let token = resolution.token {
            switch token.placement {
            case .header:
                request.privateFields = [HTTPField(name: token.name, value: token.prefix + token.value)]
            case .cookie:
                request.privateFields = [
                    HTTPField(name: "Cookie", value: "\(token.name)=\(token.prefix)\(token.value)")
                ]
            case .query:
                request.privateQuery = .init(name: token.name, value: token.prefix + token.value)
            }
        }
        return request
    }
}

/// Reads the usual marks of a signed URL: a hint to resolve earlier, never a reason to believe a URL longer.
enum ExpiryMark {
    /// The instant named by `X-Amz-Date` + `X-Amz-Expires`, or by `Expires` or `expires` as seconds since 1970; nil if
    /// there is none between now and 10 years ahead.
    static func expiry(of url: String, now: Date) -> Date? {
        guard url.utf8.contains(UInt8(ascii: "?")), url.contains("xpires="),
            let items = URLComponents(string: url)?.queryItems
        else { return nil }
        var date: Date?
        let value = { (name: String) in items.first { $0.name == name }?.value }
        if let stamp = value("X-Amz-Date"), let lifetime = value("X-Amz-Expires").flatMap(Double.init) {
            date = amazonDate(stamp)?.addingTimeInterval(lifetime)
        } else if let seconds = (value("Expires") ?? value("expires")).flatMap(Double.init) {
            date = Date(timeIntervalSince1970: seconds)
        }
        guard let date, date > now, date < now.addingTimeInterval(10 * 366 * 86_400) else { return nil }
        return date
    }

    /// `20261121T073000Z`.
    private static func amazonDate(_ text: String) -> Date? {
        guard text.utf8.count == 16, let parts = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/)?.output
        else { return nil }
        return Timestamp.date("\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4):\(parts.5):\(parts.6)Z")
    }
}
