/// What to fetch, with which secrets, and from where on.
///
/// It has no description that shows anything: URL, fields and query may be secrets.
package struct TransferRequest: Sendable, RedactedInPrint {
    /// Where a transfer begins.
    package enum Start: Sendable, Hashable, RedactedInPrint {
        /// At byte 0, with no range.
        case beginning
        /// Behind the first `at` bytes, which are in the partial. `total` is the size of the whole file as the first
        /// answer gave it. With `at` equal to `total` nothing is asked of the server: the file is complete.
        case resume(at: Int64, total: Int64?, condition: ResumeCondition)
        /// These bytes of a larger file, as a whole of their own; not empty.
        case range(Range<Int64>)
    }

    /// A token that goes into the query of every URL of a trusted origin.
    package struct QueryItem: Sendable, Hashable, RedactedInPrint {
        /// As it is meant; it is percent-encoded when it is sent.
        package var name: String
        /// Like ``name``.
        package var value: String

        /// Both in plain text.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        package var description: String { "\(name)=(redacted)" }
    }

    /// Absolute, http or https.
    package var url: String
    /// Go with every request, redirects included. Those whose name makes them private (Authorization, Cookie, Proxy-*)
    /// are treated as ``privateFields``.
    package var fields: [HTTPField] = []
    /// Go to ``trustedOrigins`` only.
    package var privateFields: [HTTPField] = []
    /// Added to the query for ``trustedOrigins`` only, unless the URL already has an item of that name.
    package var privateQuery: QueryItem?
    /// The origins that may see the private fields and query. The URL's own origin has to be listed too.
    package var trustedOrigins: Set<Origin> = []
    /// Where the request, and what it is redirected to, may lead beside the public network; nil for anywhere. What counts is the
    /// address that is connected to, whatever the name. Through a proxy, which looks names up itself, it is what the URL says.
    package var confinement: NetworkScope?
    /// Where the transfer begins.
    package var start: Start = .beginning
    /// What is held of it already, by its validator. A server that has nothing else answers 304, and the transfer ends with
    /// that status (RFC 9110 §13.1.2, §13.1.3).
    package var held: ResumeCondition?
    /// The size that the finished file must have, as the catalog or the provider says.
    package var expectedSize: Int64?
    /// Whether a page (HTML, JSON, XML) is a good answer. False for media, where it means that the URL was refused.
    package var allowsMarkup = false
    /// Whether, where a page is a good answer, HTML is one. False for a document: a login page comes as HTML.
    package var allowsHTML = true
    /// Whether subtitles in XML (TTML) are a good answer, although they look like a page.
    package var allowsTimedText = false
    /// Bytes a second, for this transfer.
    package var limitRate: Int64?
    /// The largest file that is accepted.
    package var maxSize: Int64?
    /// How long the server may deliver less than it was asked for; see ``StallClock``.
    package var stallTimeout: Duration = .seconds(30)
    /// Name look-up, connection and TLS handshake together.
    package var connectTimeout: Duration = .seconds(30)

    /// From the beginning, with nothing added.
    package init(url: String) {
        self.url = url
    }

    /// The first byte that is asked for.
    var offset: Int64 {
        if case .resume(let offset, _, _) = start { offset } else { 0 }
    }

    /// How many bytes before ``offset`` are asked for again, to be compared with those in the partial: two files may have
    /// one date, and one total. All of the partial if it is smaller than that.
    var overlap: Int64 {
        switch condition {
        case .lastModified: min(offset, Self.mostOverlap)
        case .etag(let tag): Self.isTimeAndSize(tag, total: knownTotal) ? min(offset, Self.mostOverlap) : 0
        case .checksum, nil: 0
        }
    }

    /// Whether a tag is made of time and size in hexadecimal, as nginx and Apache do: it says no more than a date.
    private static func isTimeAndSize(_ tag: String, total: Int64?) -> Bool {
        let parts = tag.dropFirst().dropLast().split(separator: "-")
        return parts.count > 1 && parts.contains { total != nil && Int64($0, radix: 16) == total }
    }

    /// Enough of any media to tell two files apart; little, since some hosts cut each answer short.
    static let mostOverlap: Int64 = 16 << 10

    /// The value of the `Range` field without its unit (RFC 9110 §14.2); nil for the whole file.
    var rangeField: String? {
        switch start {
        case .beginning: nil
        case .resume(let offset, _, _): offset > 0 ? "\(offset - overlap)-" : nil
        case .range(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
        }
    }

    /// The condition of a resumed transfer; nil where it starts at the beginning.
    var condition: ResumeCondition? {
        if case .resume(let offset, _, let condition) = start, offset > 0 { condition } else { nil }
    }

    /// The total that a resumed transfer must meet again.
    var knownTotal: Int64? {
        if case .resume(_, let total, _) = start { total } else { nil }
    }

    /// What makes the request impossible to send, or nil.
    var defect: String? {
        if (fields + privateFields).contains(where: { !$0.isWellFormed }) { return "a header field is malformed" }
        if case .resume(let offset, let total, let condition) = start {
            if offset < 0 || (total ?? 0) < 0 { return "the resume offset is negative" }
            switch condition {
            case .etag(let value), .lastModified(let value):
                if !HTTPField(name: "If-Range", value: value).isWellFormed { return "the validator is malformed" }
            case .checksum: break
            }
        }
        switch held {
        case .etag(let value), .lastModified(let value):
            if !HTTPField(name: "If-None-Match", value: value).isWellFormed { return "the validator is malformed" }
        case .checksum, nil: break
        }
        if case .range(let range) = start, range.isEmpty || range.lowerBound < 0 { return "the range is empty" }
        if let expectedSize, expectedSize < 0 { return "the expected size is negative" }
        return nil
    }
}
