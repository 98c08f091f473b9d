/// The plan of a sync.
package struct DryRunPlan: Sendable {
    /// The actions: moves first, then downloads in catalog order, then downloads left alone, and those that are gone.
    package var items: [DryRunItem] = []
    /// The warnings of a sync before it does anything.
    package var warnings: [SyncWarning] = []
    /// Courses whose providers a sync would ask for their videos first.
    package var unasked: [String] = []
    /// The warning about `--prune` at its end.
    package var pruning: SyncWarning.Pruning?
    /// The summary of a sync whose downloads all succeed: errors, and the conditions of its exit code.
    package var summary = SyncSummary()

    package init() {}
}
