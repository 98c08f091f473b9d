import DownloadStore
package import Operations
package import SyncFacts

/// The messages of `status` about a selection without matches.
package enum StatusSelection {
    /// The selection, with its meaning settled by the existing videos.
    package static func settled(_ selection: Selection?, _ report: StatusReport) throws(Refusal) -> Selection? {
        try selection?.settled { () throws(Refusal) in report.rows.map(\.reference) }
    }

    /// The first selector that matches no video; nil if each matches one.
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
    /// Whether a download is selected; one with a failed sidecar counts as failed.
    package func contains(_ row: StatusRow) -> Bool {
        ([row.state] + (row.sidecarsFailed > 0 ? [.failed] : [])).contains { state in
            contains(row.reference, state: state)
        }
    }
}
