package import Foundation
import TextFormats

/// A response's facts about the file, about itself and about the server's clock.
package struct ResponseHead: Sendable, Equatable, RedactedInPrint {
    /// The way the end of the body is determined.
    package enum Framing: Sendable, Equatable, Hashable {
        /// `Content-Length`.
        case length
        /// The last chunk.
        case chunked
        /// The end of the connection, which proves nothing.
        case untilClose
    }

    /// The final status: never 1xx, nor a redirect that was followed.
    package var status: Int
    /// The size of the whole file, not of this response; nil if the server doesn't give it.
    package var total: Int64?
    /// Strong ones only (RFC 9110 §8.8.3).
    package var etag: String?
    /// Only if it is a strong validator: at least 1 s before this response's Date (RFC 9110 §8.8.2.2).
    package var lastModified: String?
    /// Lower case, without parameters.
    package var contentType: String?
    /// The server's clock; nil if the response comes from a cache.
    package var date: Date?
    /// The origin server's clock, as far as a cache on the way tells it: `Date` and the response's `Age`
    /// (RFC 9111 §4.2.3).
    package var originDate: Date?
    /// Our clock when the header had arrived.
    package var receivedAt: Date
    /// The time to wait, from either form of `Retry-After`; at most a year.
    package var retryAfter: Duration?
    /// The origin of the response, which after redirects differs from the URL's.
    package var origin: Origin
    /// The way the end of the body is determined.
    package var framing: Framing

    package var description: String {
        "ResponseHead(status: \(status), total: \(total.map { "\($0)" } ?? "none"), framing: \(framing))"
    }

    /// The server's clock minus ours; it has a resolution of one second.
    package var skew: Duration? { date.map { .seconds($0.timeIntervalSince(receivedAt)) } }

    /// Reads a header. Fails with the defect that makes the response unusable.
    package init(_ raw: RawHead, origin: Origin, receivedAt: Date) throws(BadResponse) {
        status = raw.status
        self.origin = origin
        self.receivedAt = receivedAt
        let codings = raw.values("transfer-encoding").flatMap { $0.split(separator: ",") }
            .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { !$0.isEmpty && $0 != "identity" }
        guard codings.isEmpty || codings == ["chunked"] else { throw .transferEncoding }
        let length = try raw.value("content-length").map { text throws(BadResponse) in
            guard let length = ASCII.number(text) else { throw .malformedLength }
            guard length <= HeadLimits.size else { throw .absurdLength }
            return length
        }
        framing = !codings.isEmpty ? .chunked : length != nil ? .length : .untilClose
        let range = raw.value("content-range").flatMap(ContentRange.init)
        guard range.map({ $0.bound <= HeadLimits.size }) ?? true else { throw .absurdLength }
        switch range {
        case .part(_, _, let whole) where raw.status == 206: total = whole
        case .unsatisfied(let whole) where raw.status == 416: total = whole
        default: total = raw.status == 200 && framing == .length ? length : nil
        }
        let now = Int64(receivedAt.timeIntervalSince1970)
        let sent = raw.value("date").flatMap { HTTPDate.seconds($0, now: now) }
        let isFresh = raw.values("age").isEmpty
        date = isFresh ? sent.map { Date(timeIntervalSince1970: TimeInterval($0)) } : nil
        let age = raw.values("age").compactMap { ASCII.number($0) }.max() ?? 0
        originDate = sent.map { Date(timeIntervalSince1970: TimeInterval($0) + TimeInterval(age)) }
        etag = raw.value("etag").flatMap { Self.isStrong($0) ? $0 : nil }
        if let text = raw.value("last-modified"), let changed = HTTPDate.seconds(text, now: now), let sent,
            changed <= sent - 1
        {
            lastModified = text
        }
        contentType = raw.values("content-type").first.map {
            ASCII.lowercased(ASCII.trimmed($0.prefix { $0 != ";" && $0 != "," }))
        }
        if let text = raw.value("retry-after") {
            let seconds = ASCII.number(text) ?? HTTPDate.seconds(text, now: now).map { $0 - (sent ?? now) }
            retryAfter = seconds.map { .seconds(min(max($0, 0), 365 * 86_400)) }
        }
    }

    /// Whether a tag is well formed and not weak.
    static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 <= 0x7E) }
    }

    /// Whether a media type is that of subtitles in XML. Related: W3C TTML2 appendix B (and its earlier name).
    static func isTimedText(_ type: String) -> Bool {
        ["application/ttml+xml", "application/ttaf+xml"].contains(bare(type))
    }

    /// Lower case, without parameters.
    private static func bare(_ type: String) -> String {
        ASCII.lowercased(ASCII.trimmed(type.prefix { $0 != ";" && $0 != "," }))
    }

    /// Whether a media type is that of a page for a browser.
    static func isHTML(_ type: String) -> Bool { ["text/html", "application/xhtml+xml"].contains(bare(type)) }

    /// Whether a media type is that of a page or of an API's response rather than of media.
    static func isMarkup(_ type: String) -> Bool {
        let type = bare(type)
        if ["text/html", "text/xml", "application/xml", "application/json", "text/json"].contains(type) { return true }
        return type.hasSuffix("+json") || (type.hasSuffix("+xml") && !type.hasPrefix("image/"))
    }
}
