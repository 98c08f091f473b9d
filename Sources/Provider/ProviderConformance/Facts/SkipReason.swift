/// The reason why a check is skipped.
package enum SkipReason: Sendable, Equatable {
    /// The manifest can't be used.
    case brokenManifest
    /// The plugin doesn't answer, so that nothing else can be found out.
    case silent
    /// The manifest doesn't have this method.
    case noMethod(String)
    /// The manifest's `concurrency` is 1.
    case oneAtATime
    /// No sample video was resolved; the kind and message of the last error.
    case nothingResolved(kind: String, message: String)
    /// No answer has an expiry.
    case noExpiry
    /// The manifest doesn't set `ignores_course`.
    case dependsOnCourse
    /// The course couldn't be listed; the kind and message of the error.
    case notListed(kind: String, message: String)
    /// Each listing so far was one page, and nothing was known after it.
    case noKnown
    /// The login refused the secrets; the kind and message of the error.
    case loginRefused(kind: String, message: String)
    /// The answers are different each time, so that they can't be compared.
    case answersVary
    /// The plugin asks a real host, whose answers have a clock of their own.
    case liveHost
    /// This system doesn't tell what a process uses.
    case notMeasurable
    /// Each listing was one page.
    case onePage
    /// No answer had new credentials.
    case neverRenews
    /// It renews, whatever a request says about that.
    case renewsOutOfTurn
    /// There are no exchanges to be asked for.
    case noExchanges
    /// The manifest has no `cookies`.
    case noCookies
    /// The fixtures expect nothing of their videos.
    case nothingExpected
    /// The host didn't let it answer; the kind and message of the error.
    case hostRefused(kind: String, message: String)
    /// It fails for the cause that this check has told.
    case sameCause(ConformanceCheck)
    /// No login is sent to a real host unless its secrets are given.
    case loginLeftOut
    /// The login has a step that asks for this, or that only a person can take.
    case loginNeedsPerson([String])
    /// No answer has a time.
    case noTime
    /// It answered only so many requests in the time that the check has.
    case tooFewAnswers(Int)
}
