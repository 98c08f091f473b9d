/// The way a URL was refused.
package enum URLRefusal: Sendable, Equatable, Hashable {
    /// By its status: 401, 403, 404 or 410.
    case status
    /// By a redirect that ended at a page.
    case login
    /// By a page or an API's response of this media type instead of media.
    case page(String)
}

/// The mismatch between a response and the requested range.
package enum RangeProblem: Sendable, Equatable, Hashable {
    case noContentRange
    case malformed
    /// It begins at another byte.
    case otherOffset
    /// `Content-Length` and `Content-Range` contradict each other.
    case contradictoryLength
    /// Several parts in one body.
    case multipart
    /// 416 without the size.
    case unsatisfiable
}

/// The evidence that the server has another file now.
package enum IdentityChange: Sendable, Equatable, Hashable {
    case etag, lastModified, total
    /// If a date is the only validator: the bytes before the range.
    case bytes
}

/// The bound that a body exceeded.
package enum TooLong: Sendable, Equatable, Hashable {
    /// The server's own.
    case promised
    /// The size from catalog or provider.
    case expected
    /// ``TransferRequest/maxSize``.
    case maximum
}

/// A failure below HTTP.
package enum NetworkProblem: Sendable, Equatable, Hashable {
    case unknownHost
    case unknownProxy
    case cannotConnect
    /// ``TransferRequest/connectTimeout`` has passed.
    case connectTimeout
    /// The connection broke, for example by a reset.
    case broken
    /// The server closed the connection without a response.
    case noAnswer
    /// The proxy refused to connect, with this status.
    case proxyRefused(status: Int)
    /// Anything else, by libcurl's number.
    case other(code: Int)
}

package enum TLSProblem: Sendable, Equatable, Hashable {
    /// The server's certificate can't be verified.
    case certificate
    /// The handshake failed.
    case handshake
    /// The CA file can't be read.
    case caFile
}

/// The reason why a transfer ended without the complete file. Facts only: no URL, no field, no text from a server.
package enum TransferFailure: Error, Sendable, Equatable {
    /// The URL is invalid, or has become so.
    case refused(status: Int, URLRefusal)
    /// Any other unsuccessful status. 503 and 429 often come with a time to wait.
    case status(Int, retryAfter: Duration?)
    /// 200 to a range: the server has another file, or doesn't support ranges. Nothing has been written.
    case rangeIgnored
    /// Nothing has been written.
    case rangeMismatch(RangeProblem)
    /// 206 or 416 of another file. Nothing has been written.
    case identityChanged(IdentityChange)
    /// The body ended early. `expected` counts like `received`, from the start of this transfer.
    case truncated(received: Int64, expected: Int64?)
    /// More arrived than allowed; nothing beyond the bound has been written.
    case tooLong(TooLong)
    /// The server has a file of another size than catalog or provider. Nothing has been written.
    case sizeMismatch(expected: Int64, announced: Int64)
    /// A file of zero bytes.
    case empty
    /// Everything that the server sent is there, but the total is unknown; a checksum has to decide. `framed`: the end
    /// was marked (the last chunk), and isn't just the end of the connection.
    case lengthUnknown(framed: Bool)
    /// A complete part of the file has arrived, and the total is unknown: the rest has to be requested.
    case partOnly
    case badResponse(BadResponse)
    case redirect(RedirectProblem)
    /// The address is outside ``TransferRequest/confinement``. No request was sent to it.
    case outOfReach
    case network(NetworkProblem)
    case tls(TLSProblem)
    /// The server delivered less than requested during ``TransferRequest/stallTimeout``.
    case stalled
    case file(errno: Int32)
    /// The request can't be sent; the reason contains no value of it.
    case invalidRequest(String)
    /// The task was cancelled.
    case cancelled
    /// The engine was shut down.
    case shutDown
}
