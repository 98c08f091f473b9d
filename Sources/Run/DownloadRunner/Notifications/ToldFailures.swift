package import SyncFacts

/// What the passes of a run that watches have told of their failures, so that each is told once.
///
/// A failure stays told until a pass has none. A video that failed again after its pause is none that is new.
package struct ToldFailures: Sendable {
    private var conditions: Set<SyncCondition> = []
    private var errors: [SyncProblem] = []
    private var logins: Set<String> = []
    private var videos: Set<VideoReference> = []

    package init() {}

    /// Notes the end of a pass. Returns whether it failed in a way that wasn't told yet.
    package mutating func note(_ summary: SyncSummary) -> Bool {
        guard summary.hasFailed else {
            self = ToldFailures()
            return false
        }
        var next = ToldFailures()
        next.conditions = summary.conditions.subtracting([.workLeft])
        next.errors = summary.errors
        next.logins = Set(summary.providersToLogIn)
        next.videos = Set(summary.failures.map(\.0))
        let isNew =
            !next.conditions.isSubset(of: conditions) || !next.logins.isSubset(of: logins)
            || !next.videos.isSubset(of: videos) || next.errors.contains { !errors.contains($0) }
        // Those that failed in an earlier pass may wait for another try.
        if next.conditions.contains(.downloadsFailed) { next.videos.formUnion(videos) }
        self = next
        return isNew
    }
}
