/// A check of the conformance suite. The raw values are stable: scripts and pages name them.
///
/// In the order in which the suite reports them: one that needs a working plugin comes after those that find out
/// whether it works, and one that watches the whole run comes last.
package enum ConformanceCheck: String, Sendable, CaseIterable {
    case manifest
    case parameters
    case starts
    case unknownMethod = "unknown-method"
    case login
    case list
    case listPages = "list-pages"
    case listIDs = "list-ids"
    case listKnown = "list-known"
    case courses
    case recognise
    case resolution
    case expected
    case quality
    case nulls
    case unknownKeys = "unknown-keys"
    case linesWithoutID = "lines-without-id"
    case oddIDs = "odd-ids"
    case longIDs = "long-ids"
    case longLines = "long-lines"
    case concurrency
    case renewal
    case renewalTurns = "renewal-turns"
    case now
    case timeZone = "time-zone"
    case expiry
    case rejected
    case ignoresCourse = "ignores-course"
    case selfContained = "self-contained"
    case growth
    case endOfInput = "end-of-input"
    case terminate
    case stdout
    case flush
    case requestIDs = "request-ids"
    case answersOnce = "answers-once"
    case errors
    case timeout
    case secretsInStderr = "secrets-in-stderr"
    case secretsInMessages = "secrets-in-messages"
    case secretsInListings = "secrets-in-listings"
    case cookies
    case exchanges
    case folder
}
