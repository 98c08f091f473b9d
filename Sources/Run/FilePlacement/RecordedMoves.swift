package import DownloadStore
import FileSystem
package import MediaLibrary

/// Moves of files that the state has recorded before the first of them is made, so that a later run completes them
/// after a kill. In this order: the move is recorded with the names of the comparison, the file is moved, its new path
/// is recorded.
package struct RecordedMoves {
    let store: DownloadStore
    let library: LibraryFolder

    package init(store: DownloadStore, library: LibraryFolder) {
        self.store = store
        self.library = library
    }

    /// Completes recorded moves, and records the new paths.
    @discardableResult
    package func finish(_ moves: [RecordedMove]) throws -> [FileMove] {
        let done = try carryOut(moves)
        try record(done)
        return done
    }

    /// Completes recorded moves, and removes files that nobody knows any more; durable on return, to be passed to
    /// ``record(_:)``. Throws only if the library is gone: moves that can't be made now stay recorded.
    package func carryOut(_ moves: [RecordedMove]) throws -> [FileMove] {
        let recorded = Dictionary(moves.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var done: [FileMove] = []
        for plan in MovePlan.plans(recorded: moves.map { PlannedMove(id: $0.id, from: $0.from, to: $0.to) }) {
            do throws(LibraryError) {
                for (move, result) in zip(plan.moves, try library.moves.carryOut(plan)) {
                    if let move = recorded[move.id] { done.append(FileMove(move, result)) }
                }
            } catch {
                if let loss = library.loss() { throw loss }
                done += plan.moves.compactMap { recorded[$0.id].map { FileMove($0, error) } }
            }
        }
        try removeOrphans(&done)
        return done
    }

    /// Records the new paths, and that these moves aren't in progress any more; the failed ones are put off.
    package func record(_ moves: [FileMove]) throws {
        let ended = moves.compactMap { move in move.path.map { (move: move.move, path: $0) } }
        let again = try plan(Self.again(moves).map { (owner: $0.move.owner, from: $0.path ?? "", to: $0.move.to) })
        if !moves.isEmpty { try store.moves.finish(ended, again: again) }
        let left = try store.moves.recorded().map { PlannedMove(id: $0.id, from: $0.from, to: $0.to) }
        try library.moves.forgetMarks(besides: MovePlan.plans(recorded: left))
    }

    /// Removes files that nobody knows any more: while their moves were unfinished, their rows got other files, as by
    /// `retry`. One that can't be removed leaves its move unfinished.
    private func removeOrphans(_ moves: inout [FileMove]) throws {
        let orphaned = try store.moves.orphaned(moves.filter(\.isMoved).map(\.move))
        guard !orphaned.isEmpty else { return }
        let nobody = DownloadID(rawValue: 0)
        for index in moves.indices where orphaned.contains(moves[index].move.id) {
            guard let path = moves[index].path, try !store.downloads.hasOwner(of: path, besides: nobody) else {
                continue
            }
            do throws(LibraryError) {
                guard let facts = try library.files.facts(of: path) else { continue }
                let record = FileRecord(size: facts.size, modified: facts.modified, sha256: nil)
                _ = try library.files.remove(path, record: record)
                try library.folders.flushNames(of: [path])
                moves[index].isOrphan = true
            } catch {
                moves[index] = FileMove(moves[index].move, error)
            }
        }
    }

    /// Those to be made again: that failed, or whose place was taken by one that did.
    private static func again(_ moves: [FileMove]) -> [FileMove] {
        let stayed = Set(moves.compactMap { $0.error == nil ? nil : $0.path })
        return moves.filter { move in
            guard let path = move.path, path != move.move.to else { return false }
            return move.error != nil || stayed.contains(move.move.to)
        }
    }

    /// Makes those of these moves again that failed in an earlier run, of files of these courses. After a comparison:
    /// it may have given the files other names. The file of a video that is downloaded again stays: the comparison has
    /// its present path, at which the new one replaces it. `moved` is called before the state forgets the moves.
    package func again(
        _ ids: Set<String>, in isCompared: (String) -> Bool, moved: ([FileMove]) -> Void = { _ in }
    ) throws {
        let moves = try carryOut(try takeUp(ids, in: isCompared))
        guard !moves.isEmpty else { return }
        moved(moves)
        try record(moves)
    }

    /// Records these moves as begun.
    private func takeUp(_ ids: Set<String>, in isCompared: (String) -> Bool) throws -> [RecordedMove] {
        let putOff = try store.moves.putOff().filter { move in
            try ids.contains(move.id) && course(of: move.owner).map(isCompared) ?? true && !isReplaced(move.owner)
        }
        let moves = try plan(putOff.map { (owner: $0.owner, from: $0.from, to: $0.to) })
        if !putOff.isEmpty { try store.moves.takeUp(moves, insteadOf: putOff) }
        return moves
    }

    /// Moves of one new plan. Of two to one place, or of one file, the first counts.
    private func plan(_ moves: [(owner: RecordedMove.Owner, from: String, to: String)]) throws -> [RecordedMove] {
        var (sources, targets): (Set<String>, Set<String>) = ([], [])
        let moves = moves.filter { sources.insert($0.from).inserted && targets.insert(LibraryName.key($0.to)).inserted }
        let owners = Dictionary(moves.map { ($0.from, $0.owner) }, uniquingKeysWith: { first, _ in first })
        return try MovePlan.plan(moves.map { (from: $0.from, to: $0.to) })?.moves.compactMap { move in
            owners[move.from].map { RecordedMove(id: move.id, from: move.from, to: move.to, owner: $0) }
        } ?? []
    }

    /// Whether its video is downloaded again. One that is no longer in its catalog isn't.
    private func isReplaced(_ owner: RecordedMove.Owner) throws -> Bool {
        guard case .download(let id) = owner, let record = try store.downloads.record(id) else { return false }
        return record.state != .finished && !record.isGone
    }

    /// The course of a move's file; nil if its download is unknown.
    func course(of owner: RecordedMove.Owner) throws -> String? {
        switch owner {
        case .download(let id), .sidecar(let id, _, _): try store.downloads.record(id)?.key.course
        case .course(let id), .chapter(let id, _): id
        }
    }
}
