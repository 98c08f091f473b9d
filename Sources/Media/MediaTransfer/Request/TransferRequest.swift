package import NetworkAddresses

/// The file to request, the secrets to send, and the start offset.
///
/// Its description shows nothing: URL, fields and query may be secrets.
package struct TransferRequest: Sendable, RedactedInPrint {
    package enum Start: Sendable, Hashable, RedactedInPrint {
        /// At byte 0, with no range.
        case beginning
        /// After the first `at` bytes, which are in the partial. `total` is the size of the whole file from the first
        /// response. If `at` equals `total` the file is complete, and no request is sent, unless another size is
        /// expected: then the server is asked whether it has another version by now.
        case resume(at: Int64, total: Int64?, condition: ResumeCondition)
        /// These bytes of a larger file, as a unit of their own; not empty.
        case range(Range<Int64>)
        /// These bytes of a file, not empty, of which other parts are there or come over other connections. The
        /// response must have the entity tag and the total of those. `before` and `after` bytes around them are
        /// requested again, to be compared.
        case piece(Range<Int64>, before: Int64, after: Int64, total: Int64, etag: String)
    }

    /// A secret that is added to the query of a URL.
    package struct QueryItem: Sendable, Hashable, RedactedInPrint {
        /// In plain text; it is percent-encoded when it is sent.
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
    /// Sent with every request, redirects included. Those with private names (Authorization, Cookie, Proxy-*) are sent
    /// to ``trustedOrigins`` only.
    package var fields: [HTTPField] = []
    /// Each is sent within its scopes only.
    package var secrets: [ScopedSecret] = []
    /// The origins that get private fields. The URL's own origin has to be listed, too.
    package var trustedOrigins: Set<Origin> = []
    /// The network that the request and its redirects may reach in addition to the public one; nil for any. The address
    /// of the connection counts, whatever the name. With a proxy, which resolves names itself, the URL's host counts.
    package var confinement: NetworkScope?
    package var start: Start = .beginning
    /// The validator of a stored copy. If nothing has changed the server answers 304, and the transfer ends with that
    /// status (RFC 9110 §13.1.2, §13.1.3).
    package var held: ResumeCondition?
    /// The expected size of the finished file, from the catalog or the provider.
    package var expectedSize: Int64?
    /// Whether a page (HTML, JSON, XML) is accepted. False for media, where it means that the URL was refused.
    package var allowsMarkup = false
    /// Whether HTML is accepted where pages are. False for a document: a login page comes as HTML.
    package var allowsHTML = true
    /// Whether subtitles in XML (TTML) are accepted, although they look like a page.
    package var allowsTimedText = false
    /// Bytes per second, for this transfer.
    package var limitRate: Int64?
    /// The largest file that is accepted.
    package var maxSize: Int64?
    /// The largest file that is accepted if neither the server nor ``expectedSize`` says its size.
    package var maxUnsized: Int64?
    /// The time during which the server may deliver less than requested; see ``StallDetector``.
    package var stallTimeout: Duration = .seconds(30)
    /// Name look-up, connection and TLS handshake together.
    package var connectTimeout: Duration = .seconds(30)

    /// From the beginning, without additions.
    package init(url: String) {
        self.url = url
    }

    /// The first requested byte's offset.
    var offset: Int64 {
        switch start {
        case .resume(let offset, _, _): offset
        case .piece(let range, _, _, _, _): range.lowerBound
        case .beginning, .range: 0
        }
    }

    /// The number of bytes before ``offset`` that are requested again, to be compared with those in the partial: two
    /// files may have the same date and total. All of the partial if it is smaller.
    var overlap: Int64 {
        if case .piece(_, let before, _, _, _) = start { return before }
        return switch condition {
        case .lastModified: min(offset, Self.mostOverlap)
        case .etag(let tag): min(offset, Self.overlap(of: tag, total: knownTotal))
        case .checksum, nil: 0
        }
    }

    /// The number of bytes to compare where two responses with this entity tag meet.
    package static func overlap(of tag: String, total: Int64?) -> Int64 {
        isTimeAndSize(tag, total: total) ? mostOverlap : 0
    }

    /// Whether a tag is made of time and size in hexadecimal, as by nginx and Apache: it proves no more than a date.
    private static func isTimeAndSize(_ tag: String, total: Int64?) -> Bool {
        let parts = tag.dropFirst().dropLast().split(separator: "-")
        return parts.count > 1 && parts.contains { total != nil && Int64($0, radix: 16) == total }
    }

    /// Enough of any media to distinguish two files; small, since some hosts cut each response short.
    static let mostOverlap: Int64 = 16 << 10

    /// The value of the `Range` field without its unit (RFC 9110 §14.2); nil for the whole file.
    var rangeField: String? {
        switch start {
        case .beginning: nil
        case .resume(let offset, _, _): offset > 0 ? "\(offset - overlap)-" : nil
        case .range(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
        case .piece(let range, let before, let after, _, _):
            "\(range.lowerBound - before)-\(range.upperBound + after - 1)"
        }
    }

    /// The end of the bytes that are requested; nil if they are all those up to the end of the file.
    var end: Int64? {
        switch start {
        case .beginning, .resume: nil
        case .range(let range): range.upperBound
        case .piece(let range, _, let after, _, _): range.upperBound + after
        }
    }

    /// The condition of a resumed transfer; nil at the beginning.
    var condition: ResumeCondition? {
        switch start {
        case .resume(let offset, _, let condition): offset > 0 ? condition : nil
        case .piece(_, _, _, _, let etag): .etag(etag)
        case .beginning, .range: nil
        }
    }

    /// The total that a resumed transfer must have again.
    var knownTotal: Int64? {
        switch start {
        case .resume(_, let total, _): total
        case .piece(_, _, _, let total, _): total
        case .beginning, .range: nil
        }
    }

    /// Whether all bytes are there, and nothing says that the file should have others.
    var isComplete: Bool {
        offset > 0 && offset == knownTotal && (expectedSize.map { $0 == offset } ?? true)
    }

    /// The defect that makes the request impossible to send, or nil.
    var defect: String? {
        let secretFields = secrets.compactMap { secret in
            switch secret.part {
            case .field(let field): field
            case .cookie(let name, let value): HTTPField(name: "Cookie", value: "\(name)=\(value)")
            case .query: nil as HTTPField?
            }
        }
        if (fields + secretFields).contains(where: { !$0.isWellFormed }) { return "a header field is malformed" }
        if case .resume(let offset, let total, let condition) = start {
            if offset < 0 || (total ?? 0) < 0 { return "the resume offset is negative" }
            switch condition {
            case .etag(let value), .lastModified(let value):
                if !HTTPField(name: "If-Range", value: value).isWellFormed { return "the validator is malformed" }
            case .checksum: break
            }
        }
        if case .piece(let range, let before, let after, let total, let etag) = start {
            if range.isEmpty || before < 0 || after < 0 || range.lowerBound < before || range.upperBound + after > total
            {
                return "the range isn't one of the file's"
            }
            if !HTTPField(name: "If-Range", value: etag).isWellFormed { return "the validator is malformed" }
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
