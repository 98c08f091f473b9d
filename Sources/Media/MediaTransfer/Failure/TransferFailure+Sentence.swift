extension TransferFailure {
    /// ``sentence(at:insteadOf:)`` without an address.
    package var sentence: String { sentence(at: nil) }

    /// The failure in one sentence without full stop. `place` is its address, `wanted` the kind of the request.
    /// Contains no query, no field and no text from a server, except for a media type.
    package func sentence(at place: ShownAddress?, insteadOf wanted: StaticString = "a video") -> String {
        let at = place.map { " at \($0)" } ?? ""
        let server = place?.host ?? "the server"
        return switch self {
        case .refused(404, .status), .status(404, _): Self.missing("not found", 404, place)
        case .refused(410, .status), .status(410, _): Self.missing("deleted", 410, place)
        case .refused(401, .status): "login needed (401)\(at)"
        case .refused(403, .status): "access denied (403)\(at)"
        case .refused(let status, .status): "refused (\(status))\(at)"
        case .refused(_, .login): "redirected to a web page\(at); is a login needed?"
        case .refused(_, .page(let type)) where Self.isPage(type):
            "the server sent a web page instead of \(wanted)\(at); is a login needed?"
        case .refused(_, .page(let type)): "the server sent \(Self.quoted(type)) instead of \(wanted)\(at)"
        case .status(429, _): "too many requests (429)\(at)"
        case .status(let status, _) where status >= 500: "server error (\(status))\(at)"
        case .status(let status, _): "unexpected answer (\(status))\(at)"
        case .rangeIgnored: "the server sent the whole file instead of the rest\(at)"
        case .rangeMismatch(let problem): "the server sent a different range than requested\(at): \(problem.sentence)"
        case .identityChanged(let change): "the file on the server has changed\(at): \(change.sentence)"
        case .truncated(let received, let expected?):
            "the connection ended after \(received) of \(expected) bytes\(at)"
        case .truncated(let received, nil): "the connection ended after \(received) bytes\(at)"
        case .tooLong(.promised): "the server sent more bytes than it announced\(at)"
        case .tooLong(.expected): "the server sent more bytes than the catalog or the provider says\(at)"
        case .tooLong(.maximum): "the file is too large\(at)"
        case .sizeMismatch(let expected, let announced):
            "the file has \(announced) bytes instead of \(expected)\(at)"
        case .empty: "the file is empty\(at)"
        case .lengthUnknown: "the server doesn't say how long the file is, so it may be incomplete\(at)"
        case .partOnly: "the server sent only a part of the file\(at), and doesn't say how long it is"
        case .badResponse(let problem): "\(problem.sentence)\(at)"
        case .redirect(let problem): "\(problem.sentence)\(at)"
        case .outOfReach:
            "a playlist or a listing from elsewhere points to an address on this machine or in a private network\(at), "
                + "which isn't allowed"
        case .network(let problem): problem.sentence(server)
        case .tls(.certificate): "the certificate of \(server) can't be verified"
        case .tls(.handshake): "the TLS handshake with \(server) failed"
        case .tls(.caFile): "the CA file can't be read"
        case .stalled: "\(server) stopped sending"
        case .file(let errno): "the file can't be written: \(FileError.text(errno))"
        case .invalidRequest(let reason): "the request can't be sent: \(reason)"
        case .cancelled: "the transfer was cancelled"
        case .shutDown: "the transfer was shut down"
        }
    }

    /// `not found (404) at media.example.org/k2b.mp4`, or `not found on the server (404)`.
    private static func missing(_ what: String, _ status: Int, _ place: ShownAddress?) -> String {
        place.map { "\(what) (\(status)) at \($0)" } ?? "\(what) on the server (\(status))"
    }

    private static func isPage(_ type: String) -> Bool {
        ["text/html", "application/xhtml+xml"].contains(ASCII.lowercased(type))
    }

    private static func quoted(_ type: String) -> String {
        let isPlain = type.utf8.count <= 80 && type.utf8.allSatisfy { $0 == 0x2F || ASCII.isTokenCharacter($0) }
        return isPlain ? type : "another media type"
    }
}

extension RangeProblem {
    fileprivate var sentence: String {
        switch self {
        case .noContentRange: "Content-Range is missing"
        case .malformed: "Content-Range is malformed"
        case .otherOffset: "it begins at another byte"
        case .contradictoryLength: "Content-Length contradicts Content-Range"
        case .multipart: "several parts in one body"
        case .unsatisfiable: "416 without the size"
        }
    }
}

extension IdentityChange {
    fileprivate var sentence: String {
        switch self {
        case .etag: "another ETag"
        case .lastModified: "another Last-Modified"
        case .total: "another size"
        case .bytes: "other bytes"
        }
    }
}

extension BadResponse {
    fileprivate var sentence: String {
        switch self {
        case .duplicateField(let name): "the response has two \(name) fields"
        case .tooManyFields: "the response has more than \(HeadLimits.fields) header fields"
        case .headTooLarge: "the response header is larger than \(HeadLimits.bytes) bytes"
        case .malformedStatus: "the response has no status"
        case .malformedField: "the response has a malformed header field"
        case .malformedLength: "the response's Content-Length isn't a number"
        case .absurdLength: "the response announces more bytes than a file can have"
        case .informational: "the server sent no final response"
        case .compressed: "the response is compressed, which wasn't requested"
        case .transferEncoding: "the response has an unknown transfer encoding"
        case .unaskedRange: "the server sent a part, but the whole file was requested"
        case .unreadable: "the response isn't valid HTTP"
        }
    }
}

extension RedirectProblem {
    fileprivate var sentence: String {
        switch self {
        case .noLocation: "redirect without a target"
        case .badLocation: "redirect to something that isn't a URL"
        case .unsupportedScheme: "redirect to something other than http or https"
        case .downgrade: "redirect from https to http"
        case .loop: "redirect loop"
        case .tooMany: "more than \(RedirectProblem.mostHops) redirects"
        case .credentials: "redirect to a URL with a user name in it"
        }
    }
}

extension NetworkProblem {
    /// `server` is its host, or 'the server'.
    fileprivate func sentence(_ server: String) -> String {
        switch self {
        case .unknownHost: server == "the server" ? "the host name can't be resolved" : "can't resolve \(server)"
        case .unknownProxy: "can't resolve the proxy's name"
        case .cannotConnect: "can't connect to \(server)"
        case .connectTimeout: "connecting to \(server) timed out"
        case .broken: "the connection to \(server) broke"
        case .noAnswer: "\(server) closed the connection without a response"
        case .proxyRefused(let status): "the proxy refused the connection (\(status))"
        case .other(let code): "the transfer from \(server) failed (curl \(code))"
        }
    }
}
