package import Foundation

/// What an answer says about the file, about itself and about the server's clock.
package struct ResponseHead: Sendable, Equatable, RedactedInPrint {
    /// How the end of the body is found.
    package enum Framing: Sendable, Equatable, Hashable {
        /// `Content-Length`.
        case length
        /// The last chunk.
        case chunked
        /// The end of the connection, which proves nothing.
        case untilClose
    }

    /// The final one: never 1xx, and no redirect that was followed.
    package var status: Int
    /// The size of the whole file, not of this answer; nil where the server doesn't say.
    package var total: Int64?
    /// Strong ones only (RFC 9110 §8.8.3).
    package var etag: String?
    /// Only where it is a strong validator: at least 1 s before this answer's Date (RFC 9110 §8.8.2.2).
    package var lastModified: String?
    /// Lower case, without parameters.
    package var contentType: String?
    /// The server's clock; nil where a cache has kept the answer.
    package var date: Date?
    /// Our clock when the head had arrived.
    package var receivedAt: Date
    /// How long the server wants to be left alone, from either form of `Retry-After`; at most a year.
    package var retryAfter: Duration?
    /// The origin that answered, which after redirects is another one than the URL's.
    package var origin: Origin
    /// How the end of the body is found.
    package var framing: Framing

    package var description: String {
        "ResponseHead(status: \(status), total: \(total.map { "\($0)" } ?? "none"), framing: \(framing))"
    }

    /// The server's clock minus ours; it has a resolution of one second.
    package var skew: Duration? { date.map { .seconds($0.timeIntervalSince(receivedAt)) } }

    /// Reads a head. Fails with what makes the answer unusable.
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
        let year = 1970 + Int(now / 31_556_952)
        let sent = raw.value("date").flatMap { HTTPDate.seconds($0, currentYear: year) }
        let isFresh = raw.values("age").isEmpty
        date = isFresh ? sent.map { Date(timeIntervalSince1970: TimeInterval($0)) } : nil
        etag = raw.value("etag").flatMap { Self.isStrong($0) ? $0 : nil }
        if let text = raw.value("last-modified"), let changed = HTTPDate.seconds(text, currentYear: year), let sent,
            changed <= sent - 1
        {
            lastModified = text
        }
        contentType = raw.values("content-type").first.map {
            ASCII.lowercased(ASCII.trimmed($0.prefix { $0 != ";" && $0 != "," }))
        }
        if let text = raw.value("retry-after") {
            let seconds = ASCII.number(text) ?? HTTPDate.seconds(text, currentYear: year).map { $0 - (sent ?? now) }
            retryAfter = seconds.map { .seconds(min(max($0, 0), 365 * 86_400)) }
        }
    }

    /// Whether a tag is well formed and not weak.
    static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 <= 0x7E) }
    }

    /// Whether a media type is that of subtitles in XML. Related: W3C TTML2 appendix B (and its name before that).
    static func isTimedText(_ type: String) -> Bool {
        ["application/ttml+xml", "application/ttaf+xml"].contains(bare(type))
    }

    /// Lower case, without parameters.
    private static func bare(_ type: String) -> String {
        ASCII.lowercased(ASCII.trimmed(type.prefix { $0 != ";" && $0 != "," }))
    }

    /// Whether a media type is that of a page for a browser.
    static func isHTML(_ type: String) -> Bool { ["text/html", "application/xhtml+xml"].contains(bare(type)) }

    /// Whether a media type is that of a page or of an API's answer rather than of media.
    static func isMarkup(_ type: String) -> Bool {
        let type = bare(type)
        if ["text/html", "text/xml", "application/xml", "application/json", "text/json"].contains(type) { return true }
        return type.hasSuffix("+json") || (type.hasSuffix("+xml") && !type.hasPrefix("image/"))
    }
}
