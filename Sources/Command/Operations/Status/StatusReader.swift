import CourseCatalog
import DownloadStore
package import RunAccess
package import SyncFacts
import Synchronization

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
    private let places: [StateLocation.Place]
    private let failures: Failures
    /// Whether it is about all shards.
    private let isShared: Bool

    /// Opens the state, or those of all shards, and passes them to `body`.
    package static func read<Result>(
        _ location: StateLocation, _ body: (StatusReader) async throws(Refusal) -> Result
    ) async throws(Refusal) -> Result {
        let places = try location.resolveAll()
        var states: [StateStatus] = []
        defer { for state in states { state.close() } }
        let failures = Failures()
        var opened: [StateLocation.Place] = []
        for place in places {
            try place.requireKnown()
            do throws(Refusal) {
                states.append(try StateStatus.open(place))
                opened.append(place)
            } catch {
                guard places.count > 1 else { throw error }
                failures.note(error, of: place)
                if failures.count == places.count { throw failures.first ?? error }
            }
        }
        return try await body(StatusReader(states, opened, failures))
    }

    private init(_ states: [StateStatus], _ places: [StateLocation.Place], _ failures: Failures) {
        self.states = states
        self.places = places
        self.failures = failures
        isShared = states.count + failures.count > 1
        var facts = Self.merged(states.map(\.facts), states, places, isShared: isShared)
        facts.shardsLeftOut = failures.count
        self.facts = facts
    }

    /// Why shards are left out of what was read until now, if others aren't.
    package var leftOut: [Refusal] { failures.all }

    /// The shards that can't be read, each with the first error.
    private final class Failures: Sendable {
        private let found = Mutex<[(place: StateLocation.Place, error: Refusal)]>([])

        var count: Int { found.withLock { $0.count } }
        var first: Refusal? { found.withLock { $0.first?.error } }
        var all: [Refusal] { found.withLock { found in found.map { $0.place.leftOut($0.error) } } }

        func note(_ error: Refusal, of place: StateLocation.Place) {
            found.withLock { found in
                guard !found.contains(where: { $0.place.shard == place.shard }) else { return }
                found.append((place, error))
            }
        }
    }

    /// Reads from one of the states; nil if that fails, and others are there.
    private func read<Result>(
        _ index: Int, _ body: (StateStatus) throws(Refusal) -> Result
    ) throws(Refusal) -> Result? {
        do throws(Refusal) { return try body(states[index]) } catch {
            guard states.count > 1 else { throw error }
            failures.note(error, of: places[index])
            return nil
        }
    }

    /// Whether there are no downloads at all.
    package var isEmpty: Bool { states.allSatisfy(\.isEmpty) }

    private static func merged(
        _ reports: [StatusReport], _ states: [StateStatus], _ places: [StateLocation.Place], isShared: Bool = true
    ) -> StatusReport {
        var whole = reports[0]
        guard isShared else { return whole }
        for report in reports.dropFirst() { whole.add(report) }
        whole.shards = zip(places, reports).compactMap { place, report in
            place.shard.map { StatusReport.ShardStatus(name: $0.text, running: report.running) }
        }
        whole.running = nil
        // Those of a chapter may be in several states.
        whole.rows.sort { $0.ordinal < $1.ordinal }
        whole.groups = whole.groups.map { StatusGroup.joined($0) { place(of: $0, in: states) } }
        return whole
    }

    private static func place(of course: String, in states: [StateStatus]) -> (String, Int, String) {
        let record = states.lazy.compactMap { $0.courses[course] }.first
        return (record?.file ?? "", record?.ordinal ?? 0, course)
    }

    /// The rows that need attention, up to some hundreds, and the sums of all: very many videos aren't read row by row.
    package func overview() throws(Refusal) -> StatusReport {
        var reports: [StatusReport] = []
        for index in states.indices {
            let report = try read(index) { state throws(Refusal) in try state.overview() }
            if let report { reports.append(report) }
        }
        return whole(reports)
    }

    /// Settles a selection. Throws if a selector may mean several videos, or matches none.
    package func settled(_ selection: Selection) throws(Refusal) -> Settled {
        let stores = states.map(\.downloads)
        return Settled(
            parts: try SharedSelection.parts(of: selection, in: stores, leftOut: leftOut), whole: selection)
    }

    /// The sums of a selection by chapter.
    package func report(of selection: Settled) throws(Refusal) -> StatusReport {
        var reports: [StatusReport] = []
        for index in states.indices {
            guard let part = selection.parts[index],
                var report = try read(index, { state throws(Refusal) in try state.report(of: part) })
            else { continue }
            for group in report.groups?.indices ?? 0..<0 { report.groups?[group].state = index }
            reports.append(report)
        }
        return whole(reports)
    }

    private func whole(_ reports: [StatusReport]) -> StatusReport {
        guard !reports.isEmpty else { return facts }
        var whole = Self.merged(reports, states, [], isShared: isShared)
        (whole.shards, whole.running) = (facts.shards, facts.running)
        whole.shardsLeftOut = failures.count
        return whole
    }

    /// Calls `body` with each download of a selection, in catalog order, one state after the other.
    package func each(_ selection: Settled, _ body: (StatusRow) -> Void) throws(Refusal) {
        for (index, part) in selection.parts.enumerated() {
            guard let part else { continue }
            _ = try read(index) { state throws(Refusal) in try state.each(part, body) }
        }
    }

    /// Calls `body` with each download of a group of ``report(of:)``.
    package func each(of group: StatusGroup, _ body: (StatusRow) -> Void) throws(Refusal) {
        guard !group.elsewhere.isEmpty else {
            _ = try read(group.state) { state throws(Refusal) in try state.each(of: group, body) }
            return
        }
        var rows: [StatusRow] = []
        for part in [group] + group.elsewhere {
            _ = try read(part.state) { state throws(Refusal) in try state.each(of: part) { rows.append($0) } }
        }
        rows.sorted { $0.ordinal < $1.ordinal }.forEach(body)
    }
}
