/// What is sensible after a failure. How often, and when, is the caller's decision.
package enum RetryVerdict: Sendable, Equatable {
    /// A fresh URL.
    case resolveAgain
    /// The same URL from where the partial ends.
    case retry
    /// Like ``retry``, but nothing is asked of this host until then; nil leaves the time to the caller.
    case retryHost(after: Duration?)
    /// The partial is of no use: from byte 0, with the same URL.
    case startOver
    /// Nothing helps.
    case final
    /// Nothing helps as long as the disk is as it is.
    case disk
    /// It was ended from here.
    case stopped
}

extension TransferFailure {
    /// What is sensible now.
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
        default: .final
        }
    }
}
