package import CatalogComparison
package import CourseCatalog
package import DownloadStore
package import FilePlacement
import FileSystem
package import Foundation
package import MediaLibrary
import MediaTransfer
import RunAccess
package import SyncFacts
package import SystemPackage

/// What a pass does with rows and files before its turns and between them: it settles what a killed run left, compares
/// catalogs with rows and files, moves files to their new names, and records that. A kill between any two steps loses
/// nothing: the next pass completes it. Reports through the hub.
package struct PassChanges: Sendable {
    let options: SyncOptions
    let store: DownloadStore
    let library: LibraryFolder
    let hub: EventHub
    /// The file of an ``UnflushedRecord``; nil for none.
    let unflushed: FilePath?

    package init(
        options: SyncOptions, store: DownloadStore, library: LibraryFolder, hub: EventHub, unflushed: FilePath? = nil
    ) {
        self.options = options
        self.store = store
        self.library = library
        self.hub = hub
        self.unflushed = unflushed
    }

    /// What the start of a pass has settled.
    package struct Settled: Sendable {
        package var finished = 0
        package var moved = 0
        package var unmoved = 0
        package var unsettled: [String: LibraryError] = [:]
        /// The moves that failed in an earlier run.
        var putOff: Set<String> = []
        /// The moves, for the library's list.
        package var changes = ReconcileChanges()
    }

    /// How many videos were moved, and how many files couldn't be.
    package typealias Moved = (moved: Int, unmoved: Int)

    private var moves: RecordedMoves { RecordedMoves(store: store, library: library) }

    /// Repairs the state of a killed run, and reports the files that it had placed or was moving.
    package func settle(_ now: Date) throws(Refusal) -> Settled {
        do {
            var settled = Settled()
            settled.putOff = Set(try store.moves.putOff().map(\.id))
            let written = unflushed.map { UnflushedRecord.bytes(at: $0.string) } ?? []
            let recovery = CrashRecovery(store: store, library: library, unflushed: written)
            let outcome = try recovery.run(at: now) { moves in
                let told = tell(moves) { try? store.downloads.record($0).map { VideoReference($0) } }
                (settled.moved, settled.unmoved) = told
                settled.changes.moves = moves.map(\.move)
            }
            for record in outcome.finished {
                guard let file = record.file else { continue }
                let finished = FinishedFile(path: file.path, bytes: file.size, sha256: file.sha256?.hex, seconds: 0)
                hub.post(.downloadFinished(VideoReference(record), finished))
            }
            settled.finished = outcome.finished.count
            settled.unsettled = outcome.unsettled
            return settled
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Compares courses. Changes nothing.
    ///
    /// - Parameters:
    ///   - tallies: those of the pass's first comparison, for a later one.
    ///   - register: gives the names where videos are divided among shards.
    package func compare(
        _ catalog: Catalog, at now: Date, courses: ComparedCourses, unsettled: [String: LibraryError],
        tallies: [String: LossGuard.Tally] = [:], register: RegisteredNames? = nil
    ) throws(Refusal) -> Reconciliation {
        do {
            return try Reconciliation(
                of: catalog, with: store, in: library, by: options, at: now, compared: courses,
                unsettled: unsettled, tallies: tallies, register: register)
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Writes the changes of a plan, and moves files to their new places. The moves are durable on return, but not yet
    /// recorded: ``finish(_:_:_:held:after:note:)`` follows.
    ///
    /// - Parameter held: all courses of the run that are held so far.
    package func carryOut(_ plan: Reconciliation, held: [HeldCourse]) throws(Refusal) -> [FileMove] {
        do {
            var changes = plan.changes
            changes.moves = try plan.recordedMoves()
            try store.catalogs.apply(changes)
            if options.only.isEmpty { try HeldCourse.record(held, store) }
            return try moves.carryOut(changes.moves)
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Reports a plan and its moves, records them, and makes those again that an earlier run couldn't make.
    ///
    /// - Parameters:
    ///   - courses: the compared ones.
    ///   - held: courses in which nothing is done.
    ///   - note: gets what is moved again, for the library's list.
    package func finish(
        _ plan: Reconciliation, _ done: [FileMove], _ courses: ComparedCourses, held: [HeldCourse],
        after settled: Settled, note: (ReconcileChanges) -> Void
    ) throws(Refusal) -> Moved {
        let told = announce(plan, done)
        // Reported first: after a kill in between the next run reports them again.
        if !plan.moves.isEmpty { do { try moves.record(done) } catch { throw Refusal(any: error) } }
        let again = try moveAgain(settled.putOff, courses, held: held, note: note)
        return (told.moved + again.moved, told.unmoved + again.unmoved)
    }

    /// Carries out the plan of courses that were listed during the turns, and adds it to the plan of the pass.
    package func add(
        _ more: inout Reconciliation, of courses: ComparedCourses, to plan: inout Reconciliation,
        after settled: Settled, note: (ReconcileChanges) -> Void
    ) throws(Refusal) {
        more.follow(plan)
        let done = try carryOut(more, held: plan.held + more.held)
        more.noteMoved(done)
        note(more.changes)
        let told = try finish(more, done, courses, held: more.held, after: settled, note: note)
        plan.movedLater += told.moved
        plan.unmoved += told.unmoved
        plan.add(more)
    }

    /// Makes the moves again that failed in an earlier run, of the courses that were compared just now: only that tells
    /// whether they are still wanted.
    private func moveAgain(
        _ putOff: Set<String>, _ courses: ComparedCourses, held: [HeldCourse], note: (ReconcileChanges) -> Void
    ) throws(Refusal) -> Moved {
        let held = Set(held.map(\.course))
        var told: Moved = (0, 0)
        var changes = ReconcileChanges()
        do {
            try moves.again(putOff, in: { courses.contains($0) && !held.contains($0) }) { moves in
                told = tell(moves) { try? store.downloads.record($0).map { VideoReference($0) } }
                changes.moves = moves.map(\.move)
            }
        } catch { throw Refusal(any: error) }
        note(changes)
        return told
    }

    /// Reports the results of a comparison.
    private func announce(_ plan: Reconciliation, _ moves: [FileMove]) -> Moved {
        for course in plan.held { hub.post(.courseHeld(course)) }
        for notice in plan.notices { hub.post(.warning(notice, nil)) }
        var references: [DownloadID: VideoReference] = [:]
        for move in plan.moves {
            if case .download(let id) = move.owner { references[id] = move.reference }
        }
        let told = tell(moves) { references[$0] }
        for reference in plan.lost + plan.refetched { hub.post(.downloadWaiting(reference)) }
        for gone in plan.gone where !gone.isKnown { hub.post(.downloadGone(gone.reference, path: gone.file?.path)) }
        return told
    }

    /// Reports moves.
    private func tell(_ moves: [FileMove], of video: (DownloadID) -> VideoReference?) -> Moved {
        var (moved, unmoved) = (0, 0)
        for move in moves where !move.isOrphan {
            let (from, to) = (move.move.from, move.move.to)
            var reference: VideoReference?
            if case .download(let id) = move.move.owner { reference = video(id) }
            if let reference, let path = move.path, path != from {
                hub.post(.downloadMoved(reference, from: from, path: path))
                moved += 1
            }
            guard let error = move.error else { continue }
            hub.post(.warning(.notMoved(from: move.path ?? from, to: to, error), reference))
            unmoved += 1
        }
        return (moved, unmoved)
    }
}

extension Reconciliation {
    /// A file that is to be replaced is where its move has put it.
    mutating func noteMoved(_ moves: [FileMove]) {
        var paths: [DownloadID: String] = [:]
        for move in moves {
            if case .download(let id) = move.move.owner, let path = move.path { paths[id] = path }
        }
        guard !paths.isEmpty else { return }
        for index in wanted.indices {
            guard let path = paths[wanted[index].id], wanted[index].oldFile != nil else { continue }
            wanted[index].oldFile?.path = path
        }
    }
}
