package import DownloadStore
import Foundation

/// What an attempt works with and leaves behind, whatever the kind of its download.
package struct Attempt: Sendable {
    var policy: AttemptPolicy
    /// The provider's answer; each request with it is counted.
    var answer: ResolvedMedia
    let connections: JobConnections
    /// When its transfer began.
    var began: Date
    /// Bytes that came from the network.
    var received: Int64 = 0
}

/// How an attempt ended.
package enum AttemptEnd: Sendable {
    /// All bytes are there, and what could be compared has been.
    case complete(ArrivedMedia)
    /// The policy's word. The error is what the person is told of it, if it goes on; `host` is the one that failed, nil for the
    /// answer's.
    case follows(AttemptPolicy.Action, DownloadError?, host: String? = nil)
    /// The turn is over.
    case over(JobOutcome)
}
