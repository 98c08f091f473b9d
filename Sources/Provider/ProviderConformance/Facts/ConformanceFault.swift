package import ProviderKit

/// A violation of the protocol. Texts in it come from the plugin's manifest or output, without secrets.
package enum ConformanceFault: Sendable, Equatable {
    /// The folder has no `plugin.yaml`.
    case noManifest
    /// The manifest can't be used, or the folder isn't trusted; the reasons.
    case manifest([String])
    /// A parameter doesn't fit the manifest's schema.
    case parameter(String)
    /// The program can't be started.
    case cannotStart(String)
    /// It ended before it answered; its exit status, or the negative number of the signal, and its last words.
    case ended(Int32?, stderr: [String])
    /// It didn't answer in this time.
    case noAnswer(Duration, stderr: [String])
    /// The answer came only when stdin was closed.
    case unflushed
    /// A line on stdout that isn't of the protocol.
    case line(String)
    /// More than 1 MiB without a line end.
    case tooLongLine
    /// Not an id, or another one than the request's.
    case wrongID(String, expected: Int)
    /// An answer that violates the protocol.
    case answer(String)
    /// An answer of another form than ids and values allow: with the other video's result.
    case mixedUp
    /// An answer to a request that isn't open.
    case stray(String)
    /// A second answer to a request.
    case secondAnswer(Int)
    /// An answer to a line without an id.
    case answeredNotification
    /// A result or another error where JSON-RPC's code is due.
    case code(Int?)
    /// An error without a message.
    case noMessage
    /// An error of this kind, which the protocol doesn't have; nil if there is none.
    case kind(String?)
    /// An error of a kind that doesn't make sense for this method.
    case kindForMethod(String, method: String)
    /// A `retry_after` that isn't a number of seconds.
    case retryAfter
    /// Equal requests were answered differently as time passed by the plugin's own clock.
    case ownClock
    /// The expiry isn't later than `now`.
    case expired(String, now: String)
    /// The same answer after it was rejected.
    case sameAfterRejected
    /// Another answer for another course.
    case dependsOnCourse
    /// A new process answers what the first one answered with a fault.
    case needsEarlierRequest(String)
    /// An error where the same request had an answer before.
    case refused(kind: String, message: String)
    /// The cursor came before.
    case repeatedCursor(String)
    /// There are more pages than this.
    case endlessPages(Int)
    /// The id comes twice.
    case repeatedID(String)
    /// `known` has this many bytes.
    case longKnown(Int)
    /// `unchanged` without `known`.
    case unchangedWithoutKnown
    /// `unchanged` on a later page.
    case unchangedLater
    /// Memory in bytes before and after so many requests.
    case memory(Int, Int, requests: Int)
    /// Open files before and after so many requests.
    case descriptors(Int, Int, requests: Int)
    /// It still runs so long after its stdin was closed.
    case outlivesInput(Duration)
    /// It still runs so long after TERM.
    case outlivesTerminate(Duration)
    /// An answer took so long.
    case slow(Duration, limit: Duration)
    /// The secret of this name is in the text.
    case leak(String)
    /// An error, a course or a video for an address that is nobody's.
    case takesForeignAddress
    /// These files in its folder were made, changed or removed.
    case wroteTo([String])

    /// A cookie goes with a request to a host that it isn't of; nil for those that an answer is for.
    case strayCookie(request: String?)
    /// No exchange of the fixtures answers a request to the host.
    case noExchange(MissingExchange)
    /// The answer for a video isn't what its fixture expects: under this key.
    case unexpected(video: String, key: String, expected: String, found: String?)
    /// In another time zone this key has another value.
    case dependsOnZone(key: String, here: String, there: String)
    /// So many of the requests that were in flight together renewed the credentials.
    case renewedByMany(Int)
    /// The credentials were renewed, and no answer has the new ones.
    case renewalLost

    /// The kinds that make sense for a method; `renewal_needed` only where the request may not renew.
    package static func kinds(of method: String, mayRenew: Bool = true) -> Set<ProviderError.Kind> {
        let all = ProviderError.Kind.ofPlugins.subtracting(mayRenew ? [.renewalNeeded] : [])
        return switch method {
        case "list": all.subtracting([.drm])
        case "courses", "recognise": all.subtracting([.drm, .notReady])
        case "login": [.authRequired, .forbidden, .rateLimited, .unavailable, .invalidParameters]
        default: all
        }
    }
}
