import CatalogComparison
import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
package import RunAccess
package import SyncFacts
import UserState

extension Verification {
    /// Re-hashes the finished files of a selection, compares them with their records, and records missing files in the
    /// state. With `repair` changed files are downloaded again by the next sync, and files without a recorded SHA-256
    /// get one.
    ///
    /// Files are read without the user's lock, so that a sync may run at the same time. Only changes to the state take
    /// the lock; if another process holds it nothing is recorded, and ``refusal`` says so. Cancelling the task ends it
    /// after the current block; findings until then are recorded.
    ///
    /// - Parameter observe: called on its own thread.
    package static func run(
        _ location: StateLocation, selection: Selection, repair: Bool,
        observe: @escaping @Sendable (VerificationEvent) -> Void
    ) async throws(Refusal) -> Verification {
        let places = try location.resolveAll()
        try places[0].requireKnown()
        var whole = Verification(progress: VerificationProgress(files: 0, allFiles: 0, bytes: 0, allBytes: 0))
        let (parts, failed) = try parts(of: selection, places)
        whole.leftOut = failed
        for (place, part) in zip(places, parts) {
            guard let part, !whole.isStopped else { continue }
            do throws(Refusal) {
                whole.add(try await run(place, selection: part, repair: repair, observe: observe))
            } catch {
                guard places.count > 1 else { throw error }
                whole.leftOut.append(place.leftOut(error))
            }
        }
        return whole
    }

    /// The part of the selection that each state has, and why shards can't be read, if others can.
    private static func parts(
        of selection: Selection, _ places: [StateLocation.Place]
    ) throws(Refusal) -> ([Selection?], leftOut: [Refusal]) {
        let states = try ReadableStates(of: places)
        defer { states.close() }
        var parts = try SharedSelection.parts(of: selection, in: states.stores, leftOut: states.leftOut)
        for index in states.failed { parts[index] = nil }
        return (parts, states.leftOut)
    }

    private static func run(
        _ place: StateLocation.Place, selection: Selection, repair: Bool,
        observe: @escaping @Sendable (VerificationEvent) -> Void
    ) async throws(Refusal) -> Verification {
        guard let store = try place.openForReading() else {
            return Verification(progress: VerificationProgress(files: 0, allFiles: 0, bytes: 0, allBytes: 0))
        }
        defer { store.close() }
        let unmoved = try await finishMoves(place, store)
        let plan = try Plan(store, selection)
        guard let library = try LibraryOpening.openToLook(place, store) else {
            return Verification(progress: VerificationProgress(files: 0, allFiles: 0, bytes: 0, allBytes: 0))
        }
        let checked = await Blocking.run { shouldStop in
            withoutActuallyEscaping(shouldStop) { shouldStop in
                Result {
                    try plan.check(
                        store, library, repair: repair, unmoved: unmoved, shouldStop: shouldStop, observe: observe)
                }
            }
        }
        var (result, items): (Verification, [Verifier.Item])
        do { (result, items) = try checked.get() } catch { throw Refusal(any: error) }
        hold(&items, finished: plan.finished)
        result.findings = items.map { item in
            var file = item.file
            let (changes, remedy) = VerificationRemedies.changes(for: item, repair: repair)
            if changes.isEmpty { file.remedy = remedy }
            return file
        }
        guard items.contains(where: { VerificationRemedies.isNeeded(for: $0, repair: repair) }) else { return result }
        do throws(Refusal) {
            let (lock, writable) = try await place.openForWriting(for: [])
            defer {
                writable.close()
                withExtendedLifetime(lock) {}
            }
            if place.shard != nil {
                do throws(LibraryError) { try await library.lock(user: place.user.text) } catch { throw Refusal(error) }
            }
            defer { library.unlock() }
            try ShardState(place).check(writable, library)
            let remedies = VerificationRemedies(store: writable, library: library, repair: repair)
            do { result.findings = try remedies.apply(to: items) } catch { throw Refusal(any: error) }
            try await ShardState(place).share(writable, in: library)
        } catch {
            result.refusal = error
        }
        return result
    }

    /// Completes the moves that a killed sync recorded: until then the rows have the old paths. A running sync does
    /// that itself, and gets a moment for it. Returns the files that can't be moved now, by the paths of their rows.
    private static func finishMoves(
        _ place: StateLocation.Place, _ store: DownloadStore
    ) async throws(Refusal) -> [String: LibraryError] {
        do {
            var attempts = 0
            while try !store.moves.recorded().isEmpty {
                do throws(Refusal) {
                    return try await finishMovesNow(place)
                } catch {
                    attempts += 1
                    guard case .held = error, attempts < 50 else { throw error }
                }
                try await Task.sleep(for: .milliseconds(100))
            }
            return [:]
        } catch {
            throw Refusal(any: error)
        }
    }

    private static func finishMovesNow(_ place: StateLocation.Place) async throws(Refusal) -> [String: LibraryError] {
        let (lock, store) = try await place.openForWriting(for: [])
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        guard let library = try LibraryOpening.openToLook(place, store) else { return [:] }
        do {
            try await library.lock(user: place.user.text)
            defer { library.unlock() }
            try ShardState(place).check(store, library)
            let moves = try RecordedMoves(store: store, library: library).finish(try store.moves.recorded())
            return Dictionary(
                moves.filter(\.isUnfinished).compactMap { move in move.error.map { (move.move.from, $0) } },
                uniquingKeysWith: { first, _ in first })
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Marks missing files of courses that have lost too many at once.
    private static func hold(_ items: inout [Verifier.Item], finished: [String: Int]) {
        var tallies = finished.mapValues { LossGuard.Tally(finished: $0) }
        for item in items where item.file.role == .video && item.file.verdict == .missing {
            tallies[item.file.reference.course]?.lost += 1
        }
        let courses = Array(tallies)
        let held = Set(LossGuard().held(courses.map(\.value)).map { courses[$0].key })
        for index in items.indices { items[index].isHeld = held.contains(items[index].file.reference.course) }
    }

    /// The files to check.
    private struct Plan: Sendable {
        private(set) var ids: [DownloadID] = []
        /// The number of files of each course.
        private(set) var finished: [String: Int] = [:]
        private var bytes = ByteCount(0)
        private var courses: [CourseRecord] = []
        private var chapters: [ChapterRecord] = []

        init(_ store: DownloadStore, _ selection: Selection) throws(Refusal) {
            let selection = try StoredSelection(selection, in: store).selection
            var filter = selection.filter(countsSidecars: false)
            filter.states = selection.states?.intersection([.finished]) ?? [.finished]
            do {
                try store.downloads.each(filter) { record in
                    guard record.state == .finished, selection.contains(record.reference, state: .finished) else {
                        return
                    }
                    ids.append(record.id)
                    finished[record.key.course, default: 0] += 1
                    bytes += record.file?.size ?? 0
                }
                // A selection narrower than a course doesn't include its cover.
                guard selection.selectors.allSatisfy(\.isOfCourses) else { return }
                courses = try store.catalogs.courses().values.filter { finished[$0.id] != nil }.sorted {
                    $0.ordinal < $1.ordinal
                }
                chapters = try store.catalogs.chapters().filter { finished[$0.course] != nil }
            } catch {
                throw Refusal(any: error)
            }
        }

        func check(
            _ store: DownloadStore, _ library: LibraryFolder, repair: Bool, unmoved: [String: LibraryError],
            shouldStop: @escaping () -> Bool, observe: @escaping (VerificationEvent) -> Void
        ) throws -> (Verification, [Verifier.Item]) {
            var verifier = Verifier(
                store: store, library: library, readsUnrecorded: repair, unmoved: unmoved, shouldStop: shouldStop,
                report: observe)
            try verifier.run(ids, bytes: bytes)
            if !verifier.result.isStopped { try verifier.checkCovers(courses: courses, chapters: chapters) }
            return (verifier.result, verifier.items)
        }
    }
}
