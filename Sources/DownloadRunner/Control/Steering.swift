import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import SyncFacts

/// Carries out the user's commands on downloads that aren't active, first in rows, then in files.
///
/// A file is deleted after the row's change has committed, so that no missing file is ever downloaded again against the
/// user's will. A kill in between leaves the file, and the row has its path.
struct Steering {
    /// The result, with the current rows.
    struct Result {
        var outcomes: [SteeringOutcome] = []
        /// The rows that changed.
        var changed: [(record: DownloadRecord, before: DownloadState)] = []
    }

    let store: DownloadStore
    /// Nil if the library isn't needed; then downloads with files can't be removed.
    let library: LibraryFolder?
    /// Writes all of them in one transaction, durable on return. False if the state can't be written, which has been
    /// reported.
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
                // Only a sidecar is missing.
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
            // Even if the row has no partial yet: progress is written only once a second.
            for outcome in result.outcomes where outcome.verdict != .refused {
                let names = DownloadKind.partials(of: outcome.id)
                for name in names { try? library.partials.remove(name) }
            }
        }
        try collect(records, &result)
        return result
    }

    /// Sets the user's priority, or the catalog's.
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

    /// The verdict of the state table, and whether a change has no effect.
    static func verdict(_ transition: StateTransition, _ record: DownloadRecord) -> SteeringOutcome.Verdict {
        // A rename in progress ends first.
        guard !record.isPlacing, let after = record.state.after(transition) else { return .refused }
        guard after == record.state else { return .changed }
        return switch transition {
        case .retry: record.retryAt == nil && record.error == nil ? .same : .changed
        // A cancelled download that was finished once may still have its files.
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

    /// Deletes the files of these downloads. Returns the ids of those whose file isn't the recorded one, or can't be
    /// read: it stays.
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
