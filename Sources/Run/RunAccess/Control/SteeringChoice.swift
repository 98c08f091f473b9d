import DownloadJobs
package import DownloadStore
import FilePlacement
import Foundation
import MediaLibrary
package import SyncFacts
import SystemPackage
import UserState

/// The results of a command for its downloads.
package struct SteeringReport: Sendable {
    package struct Item: Sendable {
        package var reference: VideoReference
        package var outcome: SteeringOutcome
        /// The size of its file in the library, if it had one.
        package var size: Int64?
        /// Whether a selector names only this one.
        package var isNamed: Bool

        package init(reference: VideoReference, outcome: SteeringOutcome, size: Int64? = nil, isNamed: Bool = false) {
            self.reference = reference
            self.isNamed = isNamed
            self.outcome = outcome
            self.size = size
        }
    }

    /// In catalog order; of several shards, one after the other.
    package var items: [Item]
    /// Whether a running sync has carried it out, so that it applies at once.
    package var isLive: Bool
    /// Why shards changed nothing, if others did, or why the library doesn't have a change yet.
    package var refusals: [Refusal] = []

    package init(items: [Item], isLive: Bool) {
        self.items = items
        self.isLive = isLive
    }
}

/// The downloads that a command will change.
package struct SteeringChoice: Sendable {
    /// One of them.
    struct Item: Sendable {
        var id: DownloadID
        var reference: VideoReference
        /// The size of its file in the library; nil without one.
        var size: Int64?
        var hasPartial: Bool
    }

    /// Those of one state.
    struct Part: Sendable {
        let place: StateLocation.Place
        /// In catalog order.
        let items: [Item]
        /// Downloads that a selector names by their ids alone.
        let named: Set<DownloadID>
    }

    /// Of one state, or of each shard that has some.
    let parts: [Part]
    /// Why shards are left out that may have some, too.
    var leftOut: [Refusal] = []

    private var items: some Sequence<Item> { parts.lazy.flatMap(\.items) }
    /// The number of downloads.
    package var count: Int { parts.reduce(0) { $0 + $1.items.count } }
    /// The number of those with a file in the library.
    package var files: Int { items.reduce(0) { $0 + ($1.size == nil ? 0 : 1) } }
    /// The total size of these files.
    package var bytes: Int64 { parts.byteCount { $0.items.byteCount { $0.size ?? 0 }.value }.value }

    /// Selects from the state. A selector without matches is refused with suggestions.
    ///
    /// - Parameters:
    ///   - countsSidecars: whether a video with a sidecar that couldn't be downloaded counts as failed.
    ///   - takesGone: whether videos that are no longer in their catalogs are selected, too; no sync downloads these.
    package static func choose(
        _ selection: Selection, at location: StateLocation, countsSidecars: Bool = false, takesGone: Bool = true
    ) async throws(Refusal) -> Self {
        let places = try location.resolveAll()
        try places[0].requireKnown()
        let states = try ReadableStates(of: places)
        defer { states.close() }
        let (stores, leftOut) = (states.stores, states.leftOut)
        guard !leftOut.isEmpty || stores.contains(where: { $0 != nil }) else {
            guard places[0].isAccountsOwn else { throw places[0].unknown }
            throw .selection(.nothingYet)
        }
        let selections = try SharedSelection.parts(of: selection, in: stores, leftOut: leftOut)
        var parts: [Part] = []
        var gone: VideoReference?
        for (place, (store, part)) in zip(places, zip(stores, selections)) {
            guard let store, let part else { continue }
            let stored = try StoredSelection(part, in: store)
            var items: [Item] = []
            do {
                let filter = stored.selection.filter(countsSidecars: countsSidecars)
                let isHeld = try place.folder.lockHolder() != nil
                let failed = Set(
                    filter.takesMissingSidecars
                        ? try store.sidecars.open().filter { $0.error != nil }.map(\.download) : [])
                try store.downloads.each(filter) { record in
                    let isFailed = failed.contains(record.id)
                    guard stored.selection.contains(record, isHeld: isHeld, isFailed: isFailed) else { return }
                    let reference = VideoReference(record)
                    guard takesGone || !record.isGone else { return gone = gone ?? reference }
                    items.append(
                        Item(
                            id: record.id, reference: reference, size: record.file?.size,
                            hasPartial: record.durableBytes > 0))
                }
            } catch {
                throw Refusal(any: error)
            }
            if !items.isEmpty { parts.append(Part(place: place, items: items, named: stored.named)) }
        }
        if parts.isEmpty, let gone, !selection.selectors.isEmpty { throw .selection(.gone(Selector(gone))) }
        return SteeringChoice(parts: parts, leftOut: leftOut)
    }

    /// Pauses, resumes, cancels, retries or removes them.
    package func steer(_ transition: StateTransition) async throws(Refusal) -> SteeringReport {
        try await each { part throws(Refusal) in
            let ids = part.items.map(\.id)
            return try await part.ask(.steer(transition, ids)) { steering in
                try await steering.apply(transition, to: ids).outcomes
            }
        }
    }

    /// Gives them another priority.
    package func prioritize(_ newPriority: PriorityChange) async throws(Refusal) -> SteeringReport {
        try await each { part throws(Refusal) in
            let ids = part.items.map(\.id)
            return try await part.ask(.prioritize(newPriority, ids)) { steering in
                try await steering.prioritize(newPriority, ids).outcomes
            }
        }
    }

    /// Throws if all of them refuse.
    private func each(
        _ body: (Part) async throws(Refusal) -> SteeringReport
    ) async throws(Refusal) -> SteeringReport {
        var whole = SteeringReport(items: [], isLive: false)
        whole.refusals = leftOut
        let isShared = parts.count + leftOut.count > 1
        for part in parts {
            do throws(Refusal) {
                let report = try await body(part)
                whole.items += report.items
                whole.isLive = whole.isLive || report.isLive
                whole.refusals += report.refusals.map { isShared ? part.place.leftOut($0) : $0 }
            } catch {
                if !isShared { throw error }
                whole.refusals.append(part.place.leftOut(error))
            }
        }
        if whole.items.isEmpty, let refusal = whole.refusals.first { throw refusal }
        return whole
    }
}

extension SteeringChoice.Part {
    /// Through the holder of the lock, or with the lock ourselves.
    fileprivate func ask(
        _ request: ControlRequest, otherwise body: (Steering) async throws -> [SteeringOutcome]
    ) async throws(Refusal) -> SteeringReport {
        switch try await ControlChannel.ask(request, of: place) {
        case .answered(.steered(let outcomes)): return report(outcomes, isLive: true)
        case .answered(.failed(let message)): throw .answered(message, .stateUnusable)
        case .answered(.done): return report([], isLive: true)
        case .answered(.working): throw .working(nil)
        case .working(let holder): throw .working(holder)
        case .silent(let holder): throw .silent(holder)
        case .free(let lock):
            defer { withExtendedLifetime(lock) {} }
            do {
                let store = try DownloadStore(path: place.folder.database.string, role: .holder)
                defer { store.close() }
                let library = try await LibraryOpening.openForSteering(place, store, for: request, items)
                let steering = Steering(store: store, library: library) { changes in
                    try store.write(changes)
                    return true
                }
                var done = report(try await body(steering), isLive: false)
                do throws(Refusal) { try await ShardState(place).share(store, in: library) } catch {
                    done.refusals.append(error)
                }
                return done
            } catch {
                throw Refusal(any: error)
            }
        }
    }

    private func report(_ outcomes: [SteeringOutcome], isLive: Bool) -> SteeringReport {
        let byID = Dictionary(outcomes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let told = items.compactMap { item in
            byID[item.id].map {
                SteeringReport.Item(
                    reference: item.reference, outcome: $0, size: item.size, isNamed: named.contains(item.id))
            }
        }
        return SteeringReport(items: told, isLive: isLive)
    }
}

extension RunSettings {
    /// Changes the running sync of a user.
    package func apply(at location: StateLocation) async throws(Refusal) {
        let place = try location.resolve()
        let nothing = Refusal.user(.noSync(place.user.text))
        guard place.hasState else { throw nothing }
        switch try await ControlChannel.ask(.set(self), of: place) {
        case .answered(.failed(let message)): throw .answered(message, .workLeft)
        case .answered(.working): throw .working(nil)
        case .answered: return
        case .free: throw nothing
        case .working(let holder): throw .working(holder)
        case .silent(let holder): throw .silent(holder)
        }
    }
}

extension Selection {
    /// Whether a row is selected by the state that is shown, or as failed because of a sidecar.
    func contains(_ record: DownloadRecord, isHeld: Bool, isFailed: Bool) -> Bool {
        ([record.status.seen(isHeld: isHeld).state] + (isFailed ? [.failed] : [])).contains { state in
            contains(VideoReference(record), state: state)
        }
    }
}

extension LibraryOpening {
    /// The library, if the request needs files or a killed sync left something to settle, which is done first.
    static func openForSteering(
        _ place: StateLocation.Place, _ store: DownloadStore, for request: ControlRequest,
        _ items: [SteeringChoice.Item]
    ) async throws -> LibraryFolder? {
        let isUnsettled = try store.runs.isUnsettled()
        var touchesFiles = false
        if case .steer(let transition, _) = request {
            touchesFiles = transition == .remove || (transition == .cancel && items.contains(where: \.hasPartial))
        }
        guard isUnsettled || touchesFiles || place.shard != nil, let library = try openKnown(place, store) else {
            return nil
        }
        try await library.lock(user: place.user.text)
        // Whether another machine has gone on with the shard, before anything changes.
        try ShardState(place).check(store, library)
        if isUnsettled { try CrashRecovery(store: store, library: library).run(at: Date()) }
        return library
    }
}
