import FileSystem
import SystemPackage

/// Moves files of a library according to a plan: each to `moving/<id>`, then each to its new path, never replacing
/// anything. So swaps and cycles need no special treatment.
///
/// Several plans may be unfinished; each has its own files and its own mark. One of them is carried out at a time.
package struct Moves: Sendable {
    private let folders: FolderTree
    private let files: LibraryFiles
    private let moving: PrivateFolder

    init(folders: FolderTree, files: LibraryFiles, moving: PrivateFolder) {
        self.folders = folders
        self.files = files
        self.moving = moving
    }

    /// Carries a plan out, new or recorded.
    ///
    /// Durable on return. A run that was killed at any instant is completed by running the recorded plan again, in the
    /// same library; at any time a file is complete under exactly one name known to the plan (two while a file system
    /// without `renameat2` renames). Afterwards, in this order: record the new paths and delete the finished moves in
    /// one transaction, then ``forgetMarks(besides:)``.
    ///
    /// - Returns: a result for each move, in the plan's order. A file that can't be moved is put back, and all of them
    ///   are where `moving/` can't be used, as on a full disk. It throws only if some can't go back then: the plan
    ///   stays recorded.
    package func carryOut(_ plan: MovePlan) throws(LibraryError) -> [MoveResult] {
        try carryOut(plan) { () throws(LibraryError) in }
    }

    /// Removes the marks of finished plans: of all but these. One left after a kill does no harm.
    package func forgetMarks(besides unfinished: [MovePlan]) throws(LibraryError) {
        let kept = Set(unfinished.map(\.id))
        for name in try moving.names() where MoveMarker.isMark(name) {
            if let plan = MovePlan.planID(of: name), kept.contains(plan) { continue }
            try moving.remove(name)
        }
    }

    /// The current places of a recorded plan's files, by their old paths: there, in `moving/`, or at their new paths.
    /// Missing files are omitted; one that can't be looked at counts as at its old path. Changes nothing: for readers
    /// between a kill and the run that completes the plan.
    package func whereabouts(of plan: MovePlan) throws(LibraryError) -> [String: String] {
        let mark = try MoveMarker.read(plan: plan.id, in: moving)
        var places: [String: String] = [:]
        for move in plan.moves {
            if try moving.facts(of: move.id) != nil {
                places[move.from] = moving.path(of: move.id)
                continue
            }
            switch mark.map({ $0.collected[move.id] ?? .missing }) {
            case .file(let size, let modified):
                switch find(move, size: size, modified: modified) {
                case .moved(let path), .stayed(let path, _): places[move.from] = path
                case .missing, .unfinished: break
                }
            case .missing: break
            case .stayed: places[move.from] = move.from
            case nil:
                // One that can't be looked at isn't missing; its course is told as one that can't be read.
                if case .success(nil) = Result(catching: { () throws(LibraryError) in try files.facts(of: move.from) })
                {
                    continue
                }
                places[move.from] = move.from
            }
        }
        return places
    }

    /// Like ``carryOut(_:)``; `step` is called after each change of the disk, and its error ends the run there.
    func carryOut(
        _ plan: MovePlan, step: () throws(LibraryError) -> Void
    ) throws(LibraryError) -> [MoveResult] {
        var errors: [String: LibraryError] = [:]
        let mark: MoveMarker
        if let known = try MoveMarker.read(plan: plan.id, in: moving) {
            mark = known
        } else {
            mark = try collect(plan, errors: &errors, step: step)
        }
        var results: [MoveResult] = []
        results.reserveCapacity(plan.moves.count)
        var distributed: [Int] = []
        for move in plan.moves {
            switch mark.collected[move.id] {
            case .file(let size, let modified):
                distributed.append(results.count)
                results.append(try distribute(move, size: size, modified: modified))
                try step()
            case .stayed:
                results.append(.stayed(move.from, errors[move.id] ?? reason(for: move)))
            case .missing, nil:
                results.append(.missing)
            }
        }
        makeDurable(&results, distributed)
        do { try moving.handle.flush() } catch { throw .system(.flush, path: LibraryPath.privateFolder, error) }
        try step()
        for folder in try Set(plan.moves.map { move throws(LibraryError) in try LibraryPath(move.from).folder }) {
            folders.removeEmpty(from: folder)
        }
        try step()
        return results
    }

    /// Flushes the new names. A move whose name may not be durable is unfinished.
    private func makeDurable(_ results: inout [MoveResult], _ distributed: [Int]) {
        let unflushed = folders.unflushedNames(of: distributed.compactMap { results[$0].path })
        guard !unflushed.isEmpty else { return }
        for index in distributed {
            if let error = results[index].path.flatMap({ unflushed[$0] }) { results[index] = .unfinished(error) }
        }
    }

    /// The first step; durable with its mark on return.
    private func collect(
        _ plan: MovePlan, errors: inout [String: LibraryError], step: () throws(LibraryError) -> Void
    ) throws(LibraryError) -> MoveMarker {
        var mark = MoveMarker()
        for move in plan.moves {
            do {
                mark.collected[move.id] = try collect(move)
            } catch {
                // A rename that failed may have been made.
                if let facts = try moving.facts(of: move.id) {
                    mark.collected[move.id] = .file(size: facts.size, modified: facts.modified)
                } else {
                    mark.collected[move.id] = .stayed
                    errors[move.id] = error
                }
            }
            try step()
        }
        do {
            try flushSources(of: plan.moves.filter { errors[$0.id] == nil })
            try mark.write(plan: plan.id, in: moving)
        } catch {
            for move in plan.moves { putBack(move) }
            guard try areAllBack(plan) else { throw error }
            for move in plan.moves where mark.collected[move.id] != .missing {
                mark.collected[move.id] = .stayed
                errors[move.id] = errors[move.id] ?? error
            }
            return mark
        }
        try step()
        return mark
    }

    /// Whether no file of a plan is in `moving/`, for good.
    private func areAllBack(_ plan: MovePlan) throws(LibraryError) -> Bool {
        for move in plan.moves where try moving.facts(of: move.id) != nil { return false }
        do { try flushSources(of: plan.moves) } catch { return false }
        return true
    }

    private func flushSources(of moves: [PlannedMove]) throws(LibraryError) {
        let unflushed = folders.unflushedNames(of: moves.map(\.from))
        for (_, error) in unflushed.sorted(by: { $0.key < $1.key }) {
            switch error {
            // A folder has been replaced since its file was collected: nothing of ours is in it.
            case .leadsOut, .notAFolder: continue
            default: throw error
            }
        }
    }

    /// Takes the first step back where there is no mark: the file would be out of sight until the plan is carried out.
    /// One that can't go back stays collected, which the plan knows.
    private func putBack(_ move: PlannedMove) {
        guard (try? moving.facts(of: move.id)) != nil, let place = try? LibraryPath(move.from) else { return }
        try? folders.bring(to: place) { folder throws(Errno) in
            try moving.handle.moveAcross(move.id, to: folder, place.name)
        }
    }

    private func collect(_ move: PlannedMove) throws(LibraryError) -> MoveMarker.Collected {
        if try moving.facts(of: move.id) == nil {
            try take(move)
        } else {
            // Collected before a kill. A file at `from` now is its other name, which is removed, or somebody else's
            // file.
            try? take(move)
        }
        switch try moving.facts(of: move.id) {
        case nil: return .missing
        case let facts?: return .file(size: facts.size, modified: facts.modified)
        }
    }

    private func take(_ move: PlannedMove) throws(LibraryError) {
        let place = try LibraryPath(move.from)
        guard try files.facts(of: move.from) != nil, let source = try folders.folder(place.folder) else { return }
        do {
            try source.moveAcross(place.name, to: moving.handle, move.id)
        } catch {
            if error != .noSuchFileOrDirectory { throw .system(.rename, path: move.from, error) }
        }
    }

    /// The reason why a file could not be collected in an earlier run, as far as it is still known.
    private func reason(for move: PlannedMove) -> LibraryError {
        do {
            _ = try files.facts(of: move.from)
        } catch {
            return error
        }
        return .system(.rename, path: move.from, .notPermitted)
    }

    /// The second step, for one move.
    private func distribute(
        _ move: PlannedMove, size: Int64, modified: Int64
    ) throws(LibraryError) -> MoveResult {
        guard try moving.facts(of: move.id) != nil else { return find(move, size: size, modified: modified) }
        do {
            return .moved(try put(move.id, at: move.to))
        } catch let reason {
            do { return .stayed(try put(move.id, at: move.from), reason) } catch { return .unfinished(reason) }
        }
    }

    /// Puts a collected file at a path, or beside it if the path is taken.
    private func put(_ id: String, at path: String) throws(LibraryError) -> String {
        for attempt in 1...1000 {
            let candidate = LibraryPath.numbered(path, attempt)
            let place = try LibraryPath(candidate)
            do {
                try folders.bring(to: place) { folder throws(Errno) in
                    try moving.handle.moveAcross(id, to: folder, place.name)
                }
                return candidate
            } catch .system(_, _, .fileExists) {
                continue
            }
        }
        throw .system(.rename, path: path, .fileExists)
    }

    /// The path of a file that an earlier run has placed.
    private func find(_ move: PlannedMove, size: Int64, modified: Int64) -> MoveResult {
        for path in [move.to, move.from] {
            for attempt in 1...1000 {
                let candidate = LibraryPath.numbered(path, attempt)
                guard let facts = try? files.facts(of: candidate) else { break }
                guard facts.size == size, facts.modified == modified else { continue }
                if path == move.to { return .moved(candidate) }
                return .stayed(candidate, .system(.rename, path: move.to, .fileExists))
            }
        }
        return .missing
    }
}

extension MoveResult {
    /// Where the file is now; nil if that isn't certain, or there is none.
    fileprivate var path: String? {
        switch self {
        case .moved(let path), .stayed(let path, _): path
        case .missing, .unfinished: nil
        }
    }
}
