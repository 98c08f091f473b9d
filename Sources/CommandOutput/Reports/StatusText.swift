import DownloadStore
package import Operations
package import SyncFacts

/// What `status` says about a selection that selects nothing.
package enum StatusText {
    /// The first selector that picks no video at all; nil if each picks one.
    package static func unmatched(_ selection: Selection?, _ report: StatusReport) -> Refusal? {
        for selector in selection?.selectors ?? [] {
            guard !report.rows.contains(where: { selector.matches($0.reference) }) else { continue }
            return .selection(
                .unmatched([UnmatchedSelector(selector, among: report.rows.lazy.map(\.reference))]))
        }
        return nil
    }
}

extension Selection {
    /// Whether a download is selected; one beside which something failed is among the failed.
    package func contains(_ row: StatusRow) -> Bool {
        ([row.state] + (row.sidecarsFailed > 0 ? [.failed] : [])).contains { state in
            contains(
                course: row.reference.course, chapter: row.reference.chapter, video: row.reference.video, state: state)
        }
    }
}
