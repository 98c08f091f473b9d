import DownloadJobs
package import DownloadStore
import FilePlacement
import FileSystem
import Foundation
package import MediaLibrary
import SyncFacts
import SystemPackage

/// Carries out the user's commands on downloads that aren't active, first in rows, then in files.
///
/// A file is deleted after the row's change has committed, so that no missing file is ever downloaded again against the
/// user's will. A kill in between leaves the file, and the row has its path; a file that can't be removed keeps it,
/// too.
package struct Steering {
    /// The result, with the current rows.
    package struct Result {
        package var outcomes: [SteeringOutcome] = []
        /// The rows that changed.
        package var changed: [(record: DownloadRecord, before: DownloadState)] = []
    }

    let store: DownloadStore
    /// Nil if the library isn't needed; then downloads with files can't be removed.
    let library: LibraryFolder?
    /// Writes all of them in one transaction, durable on return. False if the state can't be written, which has been
    /// reported.
    let write: ([DownloadChange]) async throws -> Bool

    package init(
        store: DownloadStore, library: LibraryFolder?, write: @escaping ([DownloadChange]) async throws -> Bool
    ) {
        self.store = store
        self.library = library
        self.write = write
    }

    /// Pause, resume, cancel, retry or remove.
    package func apply(_ transition: StateTransition, to ids: [DownloadID]) async throws -> Result {
        var result = Result()
        var changes: [DownloadChange] = []
        let records = try store.downloads.records(ids)
        // Where their files are is certain only when the moves are complete.
        let moving = Set(transition == .remove ? try store.moves.recorded().compactMap(\.download) : [])
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
            var obstacle: SteeringOutcome.Obstacle?
            if verdict == .changed, let file = record.file, moving.contains(record.id) {
                verdict = .fileNotRemoved
                obstacle = .init(path: file.path, errno: nil)
            }
            let after = verdict == .changed ? record.state.after(transition) ?? record.state : record.state
            if verdict == .changed { changes.append(.steer(record.id, transition)) }
            result.outcomes.append(
                SteeringOutcome(
                    id: record.id, before: record.state, after: after, verdict: verdict, obstacle: obstacle))
        }
        guard try await write(changes) else {
            throw Refusal.run(.unwritable)
        }
        if transition == .remove { try await removeFiles(records, &result) }
        if transition == .cancel || transition == .remove, let library {
            // Even if the row has no partial yet: progress is written only once a second.
            for outcome in result.outcomes where outcome.after == .cancelled && outcome.verdict != .refused {
                let names = DownloadKind.partials(of: outcome.id)
                for name in names { try? library.partials.remove(name) }
            }
        }
        try collect(records, &result)
        return result
    }

    /// Sets the user's priority, or the catalog's.
    package func prioritize(_ newPriority: PriorityChange, _ ids: [DownloadID]) async throws -> Result {
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
        let changed = Set(
            result.outcomes.filter {
                $0.after != $0.before || $0.verdict == .changed || $0.verdict == .fileKept
            }.map(\.id))
        let before = Dictionary(records.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
        result.changed = try store.downloads.records(records.map(\.id).filter { changed.contains($0) }).map {
            ($0, before[$0.id] ?? $0.state)
        }
    }

    /// The verdict of the state table, and whether a change has no effect.
    package static func verdict(_ transition: StateTransition, _ record: DownloadRecord) -> SteeringOutcome.Verdict {
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
        let failures = await Blocking.run { _ in Self.delete(doomed, store, library) }
        var changes: [DownloadChange] = []
        let indices = Dictionary(
            result.outcomes.indices.map { (result.outcomes[$0].id, $0) }, uniquingKeysWith: { one, _ in one })
        for record in doomed {
            guard let index = indices[record.id] else { continue }
            switch failures[record.id] {
            case nil: changes.append(.fileRemoved(record.id))
            case .notOurs(let part):
                result.outcomes[index].verdict = .fileKept
                result.outcomes[index].obstacle = part.map { .init(path: $0, errno: nil) }
                changes.append(.fileRemoved(record.id))
            case .stays(let obstacle, let video):
                result.outcomes[index].verdict = .fileNotRemoved
                result.outcomes[index].obstacle = obstacle
                guard let video, record.state == .finished else { continue }
                // Nothing was removed: it is what it was.
                changes += [.steer(record.id, .retry), .adopt(record.id, video)]
                result.outcomes[index].after = .finished
            }
        }
        _ = try await write(changes)
    }

    /// Why the files of a download aren't removed.
    private enum Failure {
        /// Another file is in the video's place, or in that of a part of it.
        case notOurs(part: String?)
        /// This one can't be removed. `video` if the video's file is in its place.
        case stays(SteeringOutcome.Obstacle, video: StoredFile?)
    }

    /// Deletes the files of these downloads: first the video's, and those beside it only if that is done.
    private static func delete(
        _ records: [DownloadRecord], _ store: DownloadStore, _ library: LibraryFolder
    ) -> [DownloadID: Failure] {
        var failures: [DownloadID: Failure] = [:]
        var folders: [String] = []
        for record in records {
            if let file = record.file {
                folders.append(file.path)
                do throws(LibraryError) {
                    let removal = try library.files.remove(file.path, record: FileRecord(file))
                    if case .notOurs = removal { failures[record.id] = .notOurs(part: nil) }
                } catch {
                    if let errno = error.errno {
                        failures[record.id] = .stays(.init(path: file.path, errno: errno.rawValue), video: file)
                        continue
                    }
                    // Something else than a file is in its place.
                    failures[record.id] = .notOurs(part: nil)
                }
            }
            for sidecar in (try? store.sidecars.files(of: [record.id])) ?? [] {
                let facts = FileRecord(size: sidecar.size, modified: sidecar.modified, sha256: nil)
                do throws(LibraryError) {
                    let removal = try library.files.remove(sidecar.path, record: facts)
                    folders.append(sidecar.path)
                    guard sidecar.kind == .stream, case .notOurs = removal, failures[record.id] == nil else { continue }
                    failures[record.id] = .notOurs(part: sidecar.path)
                } catch {
                    guard let errno = error.errno else { continue }
                    failures[record.id] = .stays(.init(path: sidecar.path, errno: errno.rawValue), video: nil)
                }
            }
        }
        try? library.folders.flushNames(of: folders)
        return failures
    }
}
