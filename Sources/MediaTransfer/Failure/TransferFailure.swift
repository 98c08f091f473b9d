/// How a URL was refused.
package enum URLRefusal: Sendable, Equatable, Hashable {
    /// By the status: 401, 403, 404 or 410.
    case status
    /// By a redirect that ended at a page.
    case login
    /// By a page or an API's answer of this media type where media was expected.
    case page(String)
}

/// How an answer to a range doesn't fit what was asked.
package enum RangeProblem: Sendable, Equatable, Hashable {
    case noContentRange
    case malformed
    /// It begins at another byte.
    case otherOffset
    /// `Content-Length` and `Content-Range` can't be used together.
    case contradictoryLength
    /// Several parts in one body.
    case multipart
    /// 416 without the size.
    case unsatisfiable
}

/// What shows that the server has another file now.
package enum IdentityChange: Sendable, Equatable, Hashable {
    case etag, lastModified, total
    /// Where a date is all that names the file: what stands before the range.
    case bytes
}

/// Which bound a body went beyond.
package enum TooLong: Sendable, Equatable, Hashable {
    /// The server's own.
    case promised
    /// The size that catalog or provider gave.
    case expected
    /// ``TransferRequest/maxSize``.
    case maximum
}

/// What went wrong below HTTP.
package enum NetworkProblem: Sendable, Equatable, Hashable {
    case unknownHost
    case unknownProxy
    case cannotConnect
    /// ``TransferRequest/connectTimeout`` was over.
    case connectTimeout
    /// The connection broke, by a reset for instance.
    case broken
    /// The server closed the connection without an answer.
    case noAnswer
    /// The proxy refused to connect, with this status.
    case proxyRefused(status: Int)
    /// Anything else, by libcurl's number.
    case other(code: Int)
}

/// What went wrong with TLS.
package enum TLSProblem: Sendable, Equatable, Hashable {
    /// The server's certificate can't be verified.
    case certificate
    /// The handshake failed.
    case handshake
    /// The CA file can't be read.
    case caFile
}

/// Why a transfer ended without the file being whole. Facts only: no URL, no field, no text of a server.
package enum TransferFailure: Error, Sendable, Equatable {
    /// The URL is no good, or no good any more.
    case refused(status: Int, URLRefusal)
    /// Any other status that is no success. 503 and 429 often say how long to wait.
    case status(Int, retryAfter: Duration?)
    /// 200 to a range: the server has another file, or knows no ranges. Nothing has been written.
    case rangeIgnored
    /// Nothing has been written.
    case rangeMismatch(RangeProblem)
    /// 206 or 416 of another file. Nothing has been written.
    case identityChanged(IdentityChange)
    /// The body ended early. `expected` counts like `received`, from the start of this transfer.
    case truncated(received: Int64, expected: Int64?)
    /// More arrived than may; nothing beyond the bound has been written.
    case tooLong(TooLong)
    /// The server has a file of another size than catalog or provider say. Nothing has been written.
    case sizeMismatch(expected: Int64, announced: Int64)
    /// A file of zero bytes.
    case empty
    /// Everything that the server sent is there, but it didn't say how much that is; a checksum has to decide.
    /// `framed` tells whether the end was marked (the last chunk), rather than being the end of the connection.
    case lengthUnknown(framed: Bool)
    /// All of a part of the file has arrived, and nobody has said how long the file is: what lies behind it has to be
    /// asked for.
    case partOnly
    case badResponse(BadResponse)
    case redirect(RedirectProblem)
    /// The address is beyond ``TransferRequest/confinement``. Nothing has been asked there.
    case outOfReach
    case network(NetworkProblem)
    case tls(TLSProblem)
    /// The server delivered less than it was asked for during ``TransferRequest/stallTimeout``.
    case stalled
    case file(errno: Int32)
    /// The request can't be sent; says why, without any value of it.
    case invalidRequest(String)
    /// The task was cancelled.
    case cancelled
    /// The engine was shut down.
    case shutDown
}
