/// The sensible action after a failure. The caller decides how often, and when.
package enum RetryVerdict: Sendable, Equatable {
    /// A fresh URL.
    case resolveAgain
    /// The same URL, from the end of the partial.
    case retry
    /// Like ``retry``, but only once.
    case retryOnce
    /// Like ``retry``, but the host gets no requests until then; nil leaves the time to the caller.
    case retryHost(after: Duration?)
    /// The partial can't be used: from byte 0, with the same URL.
    case startOver
    /// No retry helps.
    case final
    /// No retry helps until the state of the disk changes.
    case disk
    /// It was ended by us.
    case stopped
}

extension TransferFailure {
    /// The sensible action now.
    package var verdict: RetryVerdict {
        switch self {
        case .refused: .resolveAgain
        case .status(let status, let retryAfter): Self.verdict(status: status, retryAfter: retryAfter)
        case .rangeIgnored, .rangeMismatch, .identityChanged, .tooLong(.promised): .startOver
        case .truncated, .empty, .partOnly, .badResponse, .stalled: .retry
        case .tooLong, .sizeMismatch, .lengthUnknown, .invalidRequest: .final
        case .redirect(.downgrade), .outOfReach: .final
        case .redirect: .resolveAgain
        case .network(.proxyRefused(status: 407)): .final
        case .network: .retry
        case .tls(.handshake): .retry
        case .tls: .final
        case .file: .disk
        case .cancelled, .shutDown: .stopped
        }
    }

    private static func verdict(status: Int, retryAfter: Duration?) -> RetryVerdict {
        switch status {
        case 429, 500...599: .retryHost(after: retryAfter)
        // S3 says 400 for an expired session token.
        case 400: .resolveAgain
        case 202, 203, 204, 408, 425: .retry
        // Nothing that a server means when it is asked for a file.
        case 100..<400, 412: .retryOnce
        default: .final
        }
    }
}
