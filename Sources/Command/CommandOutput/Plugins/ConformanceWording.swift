package import ProviderConformance

/// The sentences for what the conformance suite found.
package enum ConformanceWording {
    /// A fault in one sentence without its full stop.
    package static func sentence(_ fault: ConformanceFault) -> String {
        switch fault {
        case .noManifest: "there is no plugin.yaml in the folder"
        case .manifest(let reasons): reasons.joined(separator: "; ")
        case .parameter(let text): text
        case .cannotStart(let reason): "it can't be started: \(reason)"
        case .ended(let status, let stderr): ended(status) + words(stderr)
        case .noAnswer(let limit, let stderr): "it didn't answer within \(seconds(limit))" + words(stderr)
        case .unflushed: "the answer came only when stdin was closed: flush stdout after each line"
        case .line(let reason): reason
        case .tooLongLine: "it wrote more than 1 MiB without a line end"
        case .wrongID(let id, let expected): "the answer has the id \(id); the request's is the number \(expected)"
        case .answer(let reason): reason
        case .mixedUp: "the answer is that of another request in flight"
        case .stray(let id): "it answered request \(id), which isn't open"
        case .secondAnswer(let id): "it answered request \(id) a second time"
        case .answeredNotification: "it answered a line without an id"
        case .code(let code?): "the error has the code \(code)"
        case .code(nil): "the answer isn't an error with a code"
        case .noMessage: "the error has no message"
        case .kind(let kind?): "the protocol has no error of the kind '\(kind)'"
        case .kind(nil): "the error has no 'data.kind'"
        case .kindForMethod(let kind, let method): "an error of the kind '\(kind)' makes no sense for \(method)"
        case .retryAfter: "'retry_after' isn't a number of seconds"
        case .ownClock: "the same request with the same 'now' got another answer a second later: it uses its own clock"
        case .expired(let expiry, let now): "'expires_at' is \(expiry), not later than 'now' (\(now))"
        case .sameAfterRejected:
            """
            after 'rejected' the answer is the same, though it expires or has a token; if the server extends it, set \
            'extendable'
            """
        case .dependsOnCourse: "the manifest says 'ignores_course', and another course gets another answer"
        case .needsEarlierRequest(let message): "a new process refused what the first one answered: \(message)"
        case .refused(let kind, let message): "it refused with '\(kind)': \(message)"
        case .repeatedCursor(let cursor): "the cursor '\(cursor)' is repeated"
        case .endlessPages(let count): "the listing didn't end after \(count) pages"
        case .repeatedID(let id): "the id '\(id)' is repeated"
        case .longKnown(let bytes): "'known' has \(Wording.grouped(bytes)) bytes; 4,096 are allowed"
        case .unchangedWithoutKnown: "it answered 'unchanged' to a request without 'known'"
        case .unchangedLater: "it answered 'unchanged' on a later page"
        case .memory(let before, let after, let count):
            "its memory grew from \(size(before)) to \(size(after)) in \(Wording.grouped(count)) requests"
        case .descriptors(let before, let after, let count):
            "its open files grew from \(before) to \(after) in \(Wording.grouped(count)) requests"
        case .outlivesInput(let time): "it still ran \(seconds(time)) after its stdin was closed"
        case .outlivesTerminate(let time): "it still ran \(seconds(time)) after TERM"
        case .slow(let time, let limit): "an answer took \(seconds(time)); the manifest's timeout is \(seconds(limit))"
        case .leak(let name): "it contains the secret '\(name)'"
        case .wroteTo(let files): "it wrote to its own folder: \(files.joined(separator: ", "))"
        case .strayCookie(let request): "a cookie of \(CookieCanary.host) goes with \(request ?? "an answer")"
        case .noExchange(let missing): ExchangeWording.sentence(missing)
        case .unexpected(let video, let key, let expected, let found):
            "'\(key)' for the video '\(video)' is \(found ?? "missing"); its fixture expects \(expected)"
        case .dependsOnZone(let key, let here, let there):
            "'\(key)' is \(here) in UTC and \(there) in Tokyo: it takes the clock on the wall for UTC, or the reverse"
        case .takesForeignAddress: "an address that is nobody's is answered with {}, not with an error or a course"
        case .renewedByMany(let count): renewed(byMany: count)
        case .renewalLost: "the credentials were renewed, and 'credentials' isn't in the answer: they are lost"
        }
    }

    private static func size(_ bytes: Int) -> String { Wording.size(Int64(bytes)) }

    private static func renewed(byMany count: Int) -> String {
        """
        \(count) of the requests in flight renewed the credentials; one has to, and the others wait for it, or set \
        'concurrency' to 1
        """
    }

    /// The reason for a skipped check, after a colon.
    package static func sentence(_ reason: SkipReason) -> String {
        switch reason {
        case .brokenManifest: "the manifest can't be used"
        case .silent: "it doesn't answer"
        case .noMethod(let method): "the manifest doesn't have the method \(method)"
        case .oneAtATime: "the manifest's concurrency is 1"
        case .nothingResolved(_, ""): "no sample video was resolved; name some in fixtures, or give --parameter"
        case .nothingResolved(let kind, let message):
            "no sample video was resolved (\(kind): \(message)); name some in fixtures, or give --parameter"
        case .noExpiry: "no answer has 'expires_at'"
        case .dependsOnCourse: "the manifest doesn't set ignores_course"
        case .notListed(_, ""): "there is no valid listing"
        case .notListed(let kind, let message): "the course wasn't listed (\(kind): \(message))"
        case .noKnown: "no listing has 'known'"
        case .loginRefused(let kind, let message):
            "it refused the secrets (\(kind): \(message)); give valid ones as 'credentials' in fixtures"
        case .answersVary: "equal requests get different answers"
        case .liveHost: "the real host has its own clock; record fixtures with --record"
        case .notMeasurable: "this system can't measure it"
        case .onePage: "the listing is one page; fixtures of a course with more show whether pages end"
        case .neverRenews: "no answer had new credentials"
        case .renewsOutOfTurn:
            "it doesn't know 'renew': shards lose a login whose refresh tokens are good once"
        case .noCookies: "the manifest has no cookies"
        case .noExchanges: "no fixtures with exchanges are used"
        case .nothingExpected: "no video of the fixtures has 'expect'"
        case .hostRefused(let kind, let message): "the host didn't let it answer (\(kind): \(message))"
        case .sameCause(let check): "the cause is that of '\(check.rawValue)'"
        case .loginNeedsPerson(let names):
            names.isEmpty
                ? "its login needs a person"
                : "its login asks for \(names.joined(separator: ", ")); give that as 'credentials' in fixtures"
        case .loginLeftOut: "no login is sent; give secrets as 'credentials' in fixtures"
        case .noTime: "no answer has a time"
        case .tooFewAnswers(let count): "it answered \(Wording.grouped(count)) requests, too few for this check"
        }
    }

    private static func ended(_ status: Int32?) -> String {
        switch status {
        case nil: "it ended before it answered"
        case let code? where code >= 0: "it ended with exit status \(code) before it answered"
        case let signal?: "it was ended by signal \(-signal) before it answered"
        }
    }

    private static func words(_ stderr: [String]) -> String {
        stderr.isEmpty ? "" : "; its stderr: \(stderr.joined(separator: " | "))"
    }

    private static func seconds(_ time: Duration) -> String {
        let tenths = Int((time / .milliseconds(100)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
