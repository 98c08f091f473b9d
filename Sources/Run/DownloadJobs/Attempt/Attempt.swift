package import DownloadStore
import Foundation
import ProviderKit
import RunSchedule

/// The input and results of an attempt, common to all kinds of downloads.
package struct Attempt: Sendable, PrintsRedacted {
    var policy: AttemptPolicy
    /// The provider's answer; each request with it is counted.
    var answer: ResolvedMedia
    let connections: JobConnections
    /// When its transfer began.
    var began: Date
    /// The address that answered it, after redirects; nil if it isn't known.
    var url: String?
    /// Bytes that came from the network.
    var received: Int64 = 0
    /// What was seen of its file while it was compared with another one.
    var seen = SeenFile()
}

/// How an attempt ended.
package enum AttemptEnd: Sendable {
    /// All bytes are there, and every possible check has been made.
    case complete(ArrivedMedia)
    /// The policy's action. The error is reported to the user if the action is carried out; `host` is the one that
    /// failed, nil for the answer's.
    case follows(AttemptPolicy.Action, DownloadError?, host: String? = nil)
    /// The turn is over.
    case over(JobOutcome)
}
