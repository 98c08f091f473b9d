import DownloadStore

extension SyncSummary {
    /// For a run that can't start.
    package init(_ refusal: Refusal) { self.init(conditions: [refusal.condition], errors: [.refusal(refusal)]) }

    /// Adds another problem.
    package mutating func add(_ refusal: Refusal) {
        conditions.insert(refusal.condition)
        errors.append(.refusal(refusal))
    }

    /// Whether something failed that isn't simply left for the next run, in a run that the user didn't stop.
    package var hasFailed: Bool {
        stopReason != .signal && stopReason != .logout && !conditions.subtracting([.workLeft]).isEmpty
    }

    /// Adds held courses.
    package mutating func note(_ held: [HeldCourse]) {
        guard !held.isEmpty else { return }
        conditions.insert(.stateUnusable)
        errors += held.map { .held($0) }
    }
}
