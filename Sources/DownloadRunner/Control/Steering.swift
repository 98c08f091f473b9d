import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import SyncFacts

/// Carries out what the person says about downloads that aren't being worked on, in the order: rows, then files.
///
/// A file is deleted after the row that says so has committed, so that nothing which is missing is ever fetched again
/// against the person's will. A kill between leaves the file, and the row says where.
struct Steering {
    /// What came of it, with the rows as they are now.
    struct Result {
        var outcomes: [SteeringOutcome] = []
        /// Those that changed.
        var changed: [(record: DownloadRecord, before: DownloadState)] = []
    }

    let store: DownloadStore
    /// Nil if nothing of the library is to be touched; what has files there can't be removed then.
    let library: LibraryFolder?
    /// Writes all of them in one transaction, durable on return. False if the state can't be written, which has been told.
    let write: ([DownloadChange]) async throws -> Bool

    /// Pause, resume, cancel, retry or remove.
    func apply(_ transition: StateTransition, to ids: [DownloadID]) async throws -> Result {
        var result = Result()
        var changes: [DownloadChange] = []
        let records = try store.downloads.records(ids)
        let missing = Set(transition == .retry ? try store.sidecars.open(of: ids).map(\.download) : [])
        for record in records {
            if missing.contains(record.id) {
                changes.append(.sidecar(.retried(record.id)))
                // Only what belongs beside it isn't there.
                if record.state == .finished {
                    result.outcomes.append(
                        SteeringOutcome(id: record.id, before: .finished, after: .finished, verdict: .changed))
                    continue
                }
            }
            var verdict = Self.verdict(transition, record)
            if transition == .remove, library == nil, record.file != nil { verdict = .refused }
            let after = verdict == .changed ? record.state.after(transition) ?? record.state : record.state
            if verdict == .changed { changes.append(.steer(record.id, transition)) }
            result.outcomes.append(
                SteeringOutcome(id: record.id, before: record.state, after: after, verdict: verdict))
        }
        guard try await write(changes) else {
            throw Refusal.run(.unwritable)
        }
        if transition == .remove { try await removeFiles(records, &result) }
        if transition == .cancel || transition == .remove, let library {
            // Also where the row doesn't know of one yet: it says so once a second only.
            for outcome in result.outcomes where outcome.verdict != .refused {
                let names = DownloadKind.partials(of: outcome.id)
                for name in names { try? library.partials.remove(name) }
            }
        }
        try collect(records, &result)
        return result
    }

    /// The person's priority, or the catalog's.
    func prioritize(_ newPriority: PriorityChange, _ ids: [DownloadID]) async throws -> Result {
        var result = Result()
        var changes: [DownloadChange] = []
        let records = try store.downloads.records(ids)
        for record in records {
            var verdict = SteeringOutcome.Verdict.changed
            switch record.state {
            case .finished, .cancelled: verdict = .refused
            case .failed where record.retryAt == nil: verdict = .refused
            case .paused where newPriority == .now: verdict = .refused
            default: if record.priorityOverride == newPriority.level { verdict = .same }
            }
            if verdict == .changed { changes.append(.prioritize(record.id, newPriority.level)) }
            result.outcomes.append(
                SteeringOutcome(id: record.id, before: record.state, after: record.state, verdict: verdict))
        }
        guard try await write(changes) else {
            throw Refusal.run(.unwritable)
        }
        try collect(records, &result)
        return result
    }

    private func collect(_ records: [DownloadRecord], _ result: inout Result) throws {
        let changed = Set(result.outcomes.filter { $0.verdict == .changed || $0.verdict == .fileKept }.map(\.id))
        let before = Dictionary(records.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
        result.changed = try store.downloads.records(records.map(\.id).filter { changed.contains($0) }).map {
            ($0, before[$0.id] ?? $0.state)
        }
    }

    /// What the state table says, and where a change would change nothing.
    static func verdict(_ transition: StateTransition, _ record: DownloadRecord) -> SteeringOutcome.Verdict {
        // A rename that is under way ends first.
        guard !record.isPlacing, let after = record.state.after(transition) else { return .refused }
        guard after == record.state else { return .changed }
        return switch transition {
        case .retry: record.retryAt == nil && record.error == nil ? .same : .changed
        // Its files may still be there: of a cancelled one that was finished once.
        case .remove: record.file == nil ? .same : .changed
        default: .same
        }
    }

    private func removeFiles(_ records: [DownloadRecord], _ result: inout Result) async throws {
        guard let library else { return }
        let changed = Set(result.outcomes.filter { $0.verdict == .changed }.map(\.id))
        let store = store
        let doomed = records.filter { changed.contains($0.id) }
        let kept = await Blocking.run { _ in Self.delete(doomed, store, library) }
        for index in result.outcomes.indices where kept.contains(result.outcomes[index].id) {
            result.outcomes[index].verdict = .fileKept
        }
        _ = try await write(doomed.map { .fileRemoved($0.id) })
    }

    /// Deletes what belongs to these downloads. Returns the ids of those whose file isn't the recorded one, or can't be
    /// looked at: it stays.
    private static func delete(
        _ records: [DownloadRecord], _ store: DownloadStore, _ library: LibraryFolder
    ) -> Set<DownloadID> {
        var kept: Set<DownloadID> = []
        var folders: [String] = []
        for record in records {
            if let file = record.file {
                let removal = try? library.files.remove(file.path, record: FileRecord(file))
                switch removal {
                case .removed, .missing: folders.append(file.path)
                case .notOurs, nil: kept.insert(record.id)
                }
            }
            for sidecar in (try? store.sidecars.files(of: [record.id])) ?? [] {
                let facts = FileRecord(size: sidecar.size, modified: sidecar.modified, sha256: nil)
                _ = try? library.files.remove(sidecar.path, record: facts)
                folders.append(sidecar.path)
            }
        }
        try? library.folders.flushNames(of: folders)
        return kept
    }
}
