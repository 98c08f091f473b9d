import DownloadStore
package import Operations
package import SyncFacts

/// What `status` says about a selection that selects nothing.
package enum StatusText {
    /// The selection as it is meant among the videos that there are.
    package static func settled(_ selection: Selection?, _ report: StatusReport) throws(Refusal) -> Selection? {
        try selection?.settled { () throws(Refusal) in report.rows.map(\.reference) }
    }

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
            contains(row.reference, state: state)
        }
    }
}
