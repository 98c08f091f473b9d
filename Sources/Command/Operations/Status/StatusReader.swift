import CourseCatalog
import DownloadStore
package import RunAccess
package import SyncFacts

/// A user's state, or those of all shards as one, opened to look at it.
package struct StatusReader: Sendable {
    /// A selection that ``settled(_:)`` returned: the part that each state has of it.
    package struct Settled: Sendable {
        fileprivate var parts: [Selection?]
        fileprivate var whole: Selection
    }

    /// What is true of the whole, without a row.
    package let facts: StatusReport
    private let states: [StateStatus]

    /// Opens the state, or those of all shards, and passes them to `body`.
    package static func read<Result>(
        _ location: StateLocation, _ body: (StatusReader) async throws(Refusal) -> Result
    ) async throws(Refusal) -> Result {
        let places = try location.resolveAll()
        var states: [StateStatus] = []
        defer { for state in states { state.close() } }
        for place in places {
            try place.requireKnown()
            states.append(try StateStatus.open(place))
        }
        return try await body(StatusReader(states, places))
    }

    private init(_ states: [StateStatus], _ places: [StateLocation.Place]) {
        self.states = states
        facts = Self.merged(states.map(\.facts), states, places)
    }

    /// Whether there are no downloads at all.
    package var isEmpty: Bool { states.allSatisfy(\.isEmpty) }

    private static func merged(
        _ reports: [StatusReport], _ states: [StateStatus], _ places: [StateLocation.Place]
    ) -> StatusReport {
        var whole = reports[0]
        guard reports.count > 1 else { return whole }
        for report in reports.dropFirst() { whole.add(report) }
        whole.shards = zip(places, reports).compactMap { place, report in
            place.shard.map { StatusReport.ShardStatus(name: $0.text, running: report.running) }
        }
        whole.running = nil
        whole.groups?.sort { one, other in
            place(of: one.course, in: states) < place(of: other.course, in: states)
        }
        return whole
    }

    private static func place(of course: String, in states: [StateStatus]) -> (String, Int, String) {
        let record = states.lazy.compactMap { $0.courses[course] }.first
        return (record?.file ?? "", record?.ordinal ?? 0, course)
    }

    /// The rows that need attention, up to some hundreds, and the sums of all: very many videos aren't read row by row.
    package func overview() throws(Refusal) -> StatusReport {
        var reports: [StatusReport] = []
        for state in states { reports.append(try state.overview()) }
        var whole = Self.merged(reports, states, [])
        (whole.shards, whole.running) = (facts.shards, facts.running)
        return whole
    }

    /// Settles a selection. Throws if a selector may mean several videos, or matches none.
    package func settled(_ selection: Selection) throws(Refusal) -> Settled {
        Settled(parts: try SharedSelection.parts(of: selection, in: states.map(\.downloads)), whole: selection)
    }

    /// The sums of a selection by chapter.
    package func report(of selection: Settled) throws(Refusal) -> StatusReport {
        var reports: [StatusReport] = []
        for (index, state) in states.enumerated() {
            guard let part = selection.parts[index] else { continue }
            var report = try state.report(of: part)
            for group in report.groups?.indices ?? 0..<0 { report.groups?[group].state = index }
            reports.append(report)
        }
        guard !reports.isEmpty else { return facts }
        var whole = Self.merged(reports, states, [])
        (whole.shards, whole.running) = (facts.shards, facts.running)
        return whole
    }

    /// Calls `body` with each download of a selection, in catalog order, one state after the other.
    package func each(_ selection: Settled, _ body: (StatusRow) -> Void) throws(Refusal) {
        for (state, part) in zip(states, selection.parts) {
            if let part { try state.each(part, body) }
        }
    }

    /// Calls `body` with each download of a group of ``report(of:)``.
    package func each(of group: StatusGroup, _ body: (StatusRow) -> Void) throws(Refusal) {
        try states[group.state].each(of: group, body)
    }
}
