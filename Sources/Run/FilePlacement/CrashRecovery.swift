package import DownloadStore
import FileSystem
package import Foundation
package import MediaLibrary
package import MediaTransfer
import SystemPackage

/// Repairs the state that a killed process left between two steps. Runs at the start, under the user's lock.
package struct CrashRecovery {
    let store: DownloadStore
    let library: LibraryFolder
    private let unflushed: [UnflushedBytes]

    /// - Parameter unflushed: what the killed run had written and not flushed.
    package init(store: DownloadStore, library: LibraryFolder, unflushed: [UnflushedBytes] = []) {
        self.store = store
        self.library = library
        self.unflushed = unflushed
    }

    /// What a start has found.
    package struct Outcome {
        /// Downloads finished by it, which haven't been reported yet.
        package var finished: [DownloadRecord] = []
        /// Courses with files that couldn't be put in their places, and the reason. Nothing else may be done in them.
        package var unsettled: [String: LibraryError] = [:]
    }

    /// Completes recorded moves first; then completes interrupted renames, and removes unwanted partials. A file that
    /// can't be put in its place costs its course only. Throws ``StoreError`` or ``LibraryError``.
    ///
    /// `moved` is called before the state forgets the moves: after a kill in between the next start reports them again.
    @discardableResult
    package func run(at now: Date, moved: ([FileMove]) -> Void = { _ in }) throws -> Outcome {
        var outcome = Outcome()
        let recorded = RecordedMoves(store: store, library: library)
        let moves = try recorded.carryOut(try store.moves.recorded())
        moved(moves)
        try recorded.record(moves)
        for move in moves where move.path == nil {
            guard let error = move.error, let course = try recorded.course(of: move.move.owner) else { continue }
            outcome.unsettled[course] = outcome.unsettled[course] ?? error
        }
        let placing = try store.runs.recover(at: now)
        for record in placing {
            do { try settle(record) } catch let error as LibraryError {
                if let loss = library.loss() { throw loss }
                outcome.unsettled[record.key.course] = outcome.unsettled[record.key.course] ?? error
            }
        }
        try takeOver(unflushed)
        try dropPartials()
        outcome.finished = try store.downloads.records(placing.map(\.id)).filter {
            $0.state == .finished && !$0.isPlacing
        }
        return outcome
    }

    /// File in place with that size and hash → finished; complete partial still there → placed; neither → waiting.
    private func settle(_ record: DownloadRecord) throws {
        let partial = PartialName(download: record.id.rawValue)
        // A damaged path leads nowhere.
        guard let file = record.file, (try? LibraryPath(file.path)) != nil else {
            return try store.write([.unplace(record.id)])
        }
        // The user has decided in the meantime: a cancelled file is removed, a paused one may be finished.
        if record.state == .cancelled {
            // One that was to stay beside new parts is an old one.
            if record.oldFile?.path != file.path { _ = try library.files.remove(file.path, record: FileRecord(file)) }
            for part in try store.sidecars.parts(of: record.id) {
                _ = try library.files.remove(part.file.path, record: FileRecord(StoredFile(part.file)))
            }
            return try store.write([.unplace(record.id)])
        }
        if record.state == .paused { try store.write([.steer(record.id, .resume)]) }
        let parts = try store.sidecars.parts(of: record.id)
        // Without parts of its own the new file replaces the parts that the old one had.
        let hadParts = try store.sidecars.files(of: [record.id]).contains { $0.kind == .stream }
        guard parts.isEmpty, !hadParts else { return try settle(record, file, parts) }
        if case .ours(let facts) = try library.files.proves(file.path, is: FileRecord(file)), facts.size == file.size {
            try library.folders.flushNames(of: [file.path])
            if let old = record.oldFile, old.path != file.path { try remove(old) }
            var stored = file
            stored.modified = facts.modified
            try store.write([.adopt(record.id, stored)])
            try library.partials.remove(partial)
        } else if try !place(record, file) {
            // A link to another download's file must never be written to.
            var changes: [DownloadChange] = [.unplace(record.id)]
            if let facts = try library.partials.facts(of: partial), facts.links > 1 {
                try library.partials.remove(partial)
                changes.append(
                    .startOver(
                        record.id, validatorFailures: record.validatorFailures, startOvers: record.startOvers))
            }
            try store.write(changes)
        }
    }

    /// Removes the file that a placed one replaces, durable. One that can't be removed stays, as when it is replaced
    /// without a kill in between: it isn't worth keeping its course from everything each night.
    private func remove(_ old: StoredFile) throws(LibraryError) {
        do {
            switch try library.files.remove(old.path, record: FileRecord(old)) {
            case .removed, .missing: try library.folders.flushNames(of: [old.path])
            case .notOurs: break
            }
        } catch {
            if let loss = library.loss() { throw loss }
        }
    }

    /// A video with parts: each of them is in its partial or in place, and is placed. If one is neither, the download
    /// starts over: the contents of its partials are unknown then.
    private func settle(_ record: DownloadRecord, _ file: StoredFile, _ parts: [PartRecord]) throws {
        let known = Dictionary(
            try store.sidecars.files(of: [record.id]).map { ("\($0.kind) \($0.name)", $0) },
            uniquingKeysWith: { one, _ in one })
        var whole: [ArrivedFile] = []
        for part in parts {
            guard let name = PartialName(fileName: part.partial) else { continue }
            var arrived = ArrivedFile(
                role: .sidecar(record.id, part.file.kind, name: part.file.name), partialName: name, partial: nil,
                size: part.file.size, sha256: part.sha256, path: part.file.path, id: record.key.video,
                old: known["\(part.file.kind) \(part.file.name)"].map { StoredFile($0) })
            arrived.keepsName = part.file.kind == .stream && LibraryName.isInPackage(part.file.path)
            arrived.settles = part.file.modified
            whole.append(arrived)
        }
        let others = Set(whole.map(\.partialName))
        let names = DownloadKind.partials(of: record.id).filter { !others.contains($0) }
        var video = ArrivedFile(
            role: .video(record.id, source: file.source), partialName: PartialName(download: record.id.rawValue),
            partial: nil, size: file.size, sha256: file.sha256, path: file.path, id: record.key.video,
            old: record.oldFile, parts: whole, hasPast: true)
        video.settles = file.modified
        video.proof = file.proof
        video.checksums = file.checksums
        video.view = file.role
        video.joining = file.joining
        video.keepsName = LibraryName.isInPackage(file.path)
        if let name = try names.first(where: { try isIn($0, video) }) { video.partialName = name }
        if try whole.count == parts.count
            && (whole + [video]).allSatisfy({ try isIn($0.partialName, $0) || isPlaced($0) }),
            try place(video)
        {
            return
        }
        try store.write([
            .unplace(record.id),
            .startOver(record.id, validatorFailures: record.validatorFailures, startOvers: record.startOvers),
        ])
        for name in DownloadKind.partials(of: record.id) { try library.partials.remove(name) }
    }

    private func isIn(_ partial: PartialName, _ file: ArrivedFile) throws -> Bool {
        try library.partials.facts(of: partial).map { $0.size == file.size && $0.modified == file.settles } ?? false
    }

    private func isPlaced(_ file: ArrivedFile) throws -> Bool {
        let record = FileRecord(size: file.size, modified: file.settles, sha256: file.sha256)
        if case .ours = try library.files.proves(file.path, is: record) { return true }
        return false
    }

    /// Completes a placing killed before its rename: the partial was complete and flushed when the row was written, and
    /// is the final file. False if it is missing, or another one.
    private func place(_ record: DownloadRecord, _ file: StoredFile) throws -> Bool {
        let complete = try DownloadKind.partials(of: record.id).first { name in
            try library.partials.facts(of: name).map { $0.size == file.size && $0.modified == file.modified } ?? false
        }
        guard let partial = complete else { return false }
        var video = ArrivedFile(
            role: .video(record.id, source: file.source), partialName: partial, partial: nil, size: file.size,
            sha256: file.sha256, path: file.path, id: record.key.video, old: record.oldFile, hasPast: true)
        video.checksums = file.checksums
        video.view = file.role
        video.joining = file.joining
        return try place(video)
    }

    private func place(_ arrived: ArrivedFile) throws -> Bool {
        var failure: StoreError?
        var trouble: LibraryError?
        let placed = Placer(store: store, library: library).place(
            [arrived],
            write: { changes in
                do throws(StoreError) {
                    try store.write(changes)
                    return true
                } catch {
                    failure = error
                    return false
                }
            },
            failed: { _, failure in
                // Taken names are tried in vain by every run; anything else may be over by the next one.
                if case .library(let error) = failure, error.errno != .fileExists { trouble = error }
            })
        if let failure { throw failure }
        if placed?.isEmpty != false, let trouble { throw trouble }
        return placed?.isEmpty == false
    }

    private func dropPartials() throws {
        for name in try Leftovers.unwantedPartials(store, library).keys { try library.partials.remove(name) }
    }
}
