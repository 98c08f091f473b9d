extension TransferFailure {
    /// What happened, in one sentence without full stop. Holds no URL, no field and no text that a server sent, but for
    /// a media type.
    package var sentence: String {
        switch self {
        case .refused(let status, .status): "the server refused the URL with \(status)"
        case .refused(let status, .login): "the server answered \(status) with a page after a redirect, a login perhaps"
        case .refused(let status, .page(let type)): "the server answered \(status) with \(Self.quoted(type))"
        case .status(let status, _): "the server answered \(status)"
        case .rangeIgnored: "the server sent the whole file instead of the rest"
        case .rangeMismatch(let problem): "the server sent another part than was asked for (\(problem))"
        case .identityChanged(let change): "the file on the server is another one now (\(change))"
        case .truncated(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .truncated(let received, nil): "the body ended after \(received) bytes"
        case .tooLong(.promised): "the server sent more than it had announced"
        case .tooLong(.expected): "the server sent more than the size that was given"
        case .tooLong(.maximum): "the file is larger than is accepted"
        case .sizeMismatch(let expected, let announced): "the file has \(announced) bytes instead of \(expected)"
        case .empty: "the file is empty"
        case .lengthUnknown: "the server didn't say how long the file is, so that it can't be proven complete"
        case .partOnly: "the server sent a part only, and didn't say how long the file is"
        case .badResponse(let problem): problem.sentence
        case .redirect(let problem): problem.sentence
        case .outOfReach:
            "the address is on this machine or in a private network, and the playlist that names it isn't from there"
        case .network(let problem): problem.sentence
        case .tls(.certificate): "the server's certificate can't be verified"
        case .tls(.handshake): "the TLS handshake failed"
        case .tls(.caFile): "the CA file can't be read"
        case .stalled: "the server stopped sending"
        case .file(let errno): "the file can't be written: \(FileError.text(errno))"
        case .invalidRequest(let reason): "the request can't be sent: \(reason)"
        case .cancelled: "the transfer was cancelled"
        case .shutDown: "the transfer was shut down"
        }
    }

    private static func quoted(_ type: String) -> String {
        let isPlain = type.utf8.count <= 80 && type.utf8.allSatisfy { $0 == 0x2F || ASCII.isTokenCharacter($0) }
        return isPlain ? type : "another media type"
    }
}

extension BadResponse {
    fileprivate var sentence: String {
        switch self {
        case .duplicateField(let name): "the answer has two fields \(name)"
        case .tooManyFields: "the answer has more than \(HeadLimits.fields) header fields"
        case .headTooLarge: "the answer's header is larger than \(HeadLimits.bytes) bytes"
        case .malformedStatus: "the answer has no status"
        case .malformedField: "the answer has a malformed header field"
        case .malformedLength: "the answer's Content-Length is no number"
        case .absurdLength: "the answer promises more bytes than any file has"
        case .informational: "the server doesn't come to a final answer"
        case .compressed: "the answer is compressed although that wasn't asked for"
        case .transferEncoding: "the answer has an unknown transfer encoding"
        case .unaskedRange: "the server sent a part although the whole was asked for"
        case .unreadable: "the answer isn't HTTP that can be read"
        }
    }
}

extension RedirectProblem {
    fileprivate var sentence: String {
        switch self {
        case .noLocation: "the server redirects to nowhere"
        case .badLocation: "the server redirects to something that is no URL"
        case .unsupportedScheme: "the server redirects to something other than http and https"
        case .downgrade: "the server redirects from https to http"
        case .loop: "the server redirects in a loop"
        case .tooMany: "the server redirects more than \(RedirectProblem.mostHops) times"
        case .credentials: "the server redirects to a URL with a user name in it"
        }
    }
}

extension NetworkProblem {
    fileprivate var sentence: String {
        switch self {
        case .unknownHost: "the host's name can't be resolved"
        case .unknownProxy: "the proxy's name can't be resolved"
        case .cannotConnect: "no connection to the server"
        case .connectTimeout: "no connection to the server in time"
        case .broken: "the connection broke"
        case .noAnswer: "the server closed the connection without an answer"
        case .proxyRefused(let status): "the proxy refused the connection with \(status)"
        case .other(let code): "the transfer failed (curl \(code))"
        }
    }
}
