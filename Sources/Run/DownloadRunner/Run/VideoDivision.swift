import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import ProviderKit
import RunAccess
import SyncFacts
import Synchronization
import SystemPackage
import UserState

/// What a pass does where each course's videos are divided among shards: with the register, and with what is done once
/// for all shards.
struct VideoDivision: Sendable {
    let options: SyncOptions
    let clock: any RunClock
    let control: RunControl
    let open: RunResources
    let library: LibraryFolder
    let copier: StateCopier?
    let hub: EventHub
    let asks: Asks

    /// The questions of a pass for listings. One shard asks at a time, under one claim for all of its questions, so
    /// that no two wait for each other.
    final class Asks: Sendable {
        fileprivate struct State {
            /// How many questions aren't answered.
            var left = 0
            /// What was noted about each when the pass began, by its name.
            var before: [String: RegisterFolder.Ask] = [:]
            /// Waits for the claim, once for all questions: whether another shard has asked meanwhile; nil if it was
            /// stopped.
            var turn: Task<Bool?, Never>?
            var claim: VideoClaim?
            /// The names of those that this shard has asked, and whether it got an answer.
            var asked: [String: Bool] = [:]
        }

        fileprivate let state = Mutex(State())
    }

    /// When this shard last looked at the listings, which all shards have in common.
    private static let seenFact = "listings_seen"
    /// A listing that another shard asked for is asked for again after this time, in seconds.
    private static let freshness: TimeInterval = 3600
    /// How often it is tried whether another shard has its answer.
    private static let interval = Duration.milliseconds(500)

    /// Takes the register, which no shard has for long; nil without one. Throws if the pass has to end first.
    func takeRegister() async throws(Refusal) -> CourseRegister? {
        guard options.dividesVideos else { return nil }
        let register = try await CourseRegister.open(open.place, library) { [control] in
            control.passStop.map { !$0.isBound } ?? false
        }
        guard let register else { throw .library(.stopped) }
        return register
    }

    /// Begins a pass: it has the newest listings.
    func begin() async throws(Refusal) {
        guard let register = try await takeRegister() else { return }
        defer { register.close() }
        try await blocking { [library, open] in
            try library.register.noteSyncing()
            try register.exchangeListings(with: open.store)
        }
    }

    /// On its own thread: a slow disk must not delay a logout.
    private func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws(Refusal) -> T {
        try await Blocking.run { _ -> Result<T, Refusal> in
            do { return .success(try body()) } catch { return .failure(Refusal(any: error)) }
        }.get()
    }

    /// Ends a pass, whatever it ends with.
    func leave() { if options.dividesVideos { library.register.forgetSyncing() } }

    // MARK: listings

    /// The register as this machine has it, which knows the videos of all shards; nil for what the own state knows.
    var knownVideos: DownloadStore? {
        guard options.dividesVideos else { return nil }
        return try? DownloadStore(path: open.place.folder.register.string, role: .client)
    }

    /// Those of the courses to ask about that no other shard has asked about since this one last looked.
    func notYetListed(
        _ due: [Int], of catalog: Catalog, _ records: [String: ListingRecord], now: Date
    ) throws(StoreError) -> [Int] {
        guard options.dividesVideos else { return due }
        let seen = try open.store.facts.value(Self.seenFact).flatMap(TimeInterval.init) ?? 0
        return due.filter { index in
            let course = catalog.courses[index]
            guard let record = records[course.id], record.doubtedAt == nil,
                record.question == StoredListing.question(of: course),
                let ask = library.register.lastAsk(Self.fileName(course)), ask.isAnswered
            else { return true }
            return ask.at <= seen || abs(now.timeIntervalSince1970 - ask.at) > Self.freshness
        }
    }

    /// Notes which courses are asked about.
    func expect(_ courses: [Course]) {
        guard options.dividesVideos else { return }
        let names = courses.map(Self.fileName)
        let before = names.compactMap { name in library.register.lastAsk(name).map { (name, $0) } }
        asks.state.withLock { state in
            state.left = courses.count
            state.before = Dictionary(before, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Asks for the listing of a course, or waits as long as another shard does, and takes its answer.
    func list(
        _ course: Course, _ last: ListingRecord?, by lister: CourseLister,
        asking: () async -> CourseLister.Outcome
    ) async -> CourseLister.Outcome {
        guard options.dividesVideos else { return await asking() }
        let name = Self.fileName(course)
        guard let hasWaited = await turn() else {
            await settle(name, nil)
            return .failed(.runIsEnding, last: last?.askedAt)
        }
        let before = asks.state.withLock { $0.before[name] }
        if hasWaited, let ask = library.register.lastAsk(name), ask != before {
            let outcome: CourseLister.Outcome =
                ask.isAnswered
                ? await lister.stored(course, besides: last) : .failed(.askedInVain, last: last?.askedAt)
            await settle(name, nil)
            return outcome
        }
        let outcome = await asking()
        switch outcome {
        case .listed, .unchanged: await settle(name, true)
        case .failed(let error, _) where error.kind != .cancelled: await settle(name, false)
        case .failed, .doubted, .unrecorded: await settle(name, nil)
        }
        return outcome
    }

    /// Waits until no other shard asks; nil if the pass has to end first.
    private func turn() async -> Bool? {
        let turn = asks.state.withLock { state in
            let turn = state.turn ?? Task { await waitForTurn() }
            state.turn = turn
            return turn
        }
        return await withTaskCancellationHandler {
            await turn.value
        } onCancel: {
            turn.cancel()
        }
    }

    private func waitForTurn() async -> Bool? {
        guard let shards = OtherShards(of: library) else { return false }
        let holder = LockHolder.current(user: open.place.user.text)
        var hasWaited = false
        while !Task.isCancelled {
            let claimed: VideoClaim?
            // Where nothing can be claimed, each shard asks.
            do { claimed = try shards.claim("listings", as: holder) } catch { return hasWaited }
            if let claim = claimed {
                asks.state.withLock { $0.claim = claim }
                if hasWaited { await exchange() }
                return hasWaited
            }
            hasWaited = true
            try? await Task.sleep(for: Self.interval)
        }
        return nil
    }

    /// Notes how a question ended; after the last one the answers are brought to the other shards, who may ask then.
    private func settle(_ name: String, _ isAnswered: Bool?) async {
        let asked = asks.state.withLock { state -> [String: Bool]? in
            state.left -= 1
            if let isAnswered { state.asked[name] = isAnswered }
            return state.left == 0 ? state.asked : nil
        }
        guard let asked else { return }
        let isBrought = asked.values.contains(true) ? await exchange() : false
        for (name, isAnswered) in asked where isBrought || !isAnswered {
            library.register.noteAsk(name, at: clock.now.timeIntervalSince1970, isAnswered: isAnswered)
        }
        asks.state.withLock { $0.claim = nil }
    }

    /// Exchanges listings with the register, and brings it into the library. Returns whether that was possible.
    @discardableResult
    private func exchange() async -> Bool {
        do throws(Refusal) {
            guard let register = try await takeRegister() else { return false }
            defer { register.close() }
            try await blocking { [open] in
                try register.exchangeListings(with: open.store)
                try register.publish()
            }
            return true
        } catch { return false }
    }

    /// A name for files about a course.
    private static func fileName(_ course: Course) -> String {
        StoredListing.question(of: course).withUnsafeBytes { bytes in
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    // MARK: names

    /// Gives all videos of these courses their names and numbers, and brings them into the library, with new listings:
    /// no file may have a name that isn't there. Nil where videos aren't divided.
    func names(
        of catalog: Catalog, at now: Date, compared: ComparedCourses
    ) async throws(Refusal) -> RegisteredNames? {
        guard let register = try await takeRegister() else { return nil }
        defer { register.close() }
        return try await blocking { [self] in
            try register.exchangeListings(with: open.store)
            let names = try RegisteredNames(
                of: catalog, in: register.store, titles: try open.store.downloads.givenTitles(), by: options, at: now,
                compared: compared)
            try register.publish()
            return names
        }
    }

    // MARK: the end

    /// Ends the downloads of a pass: what was removed leaves the register, and the last shard that is being synced
    /// writes the files beside the videos for all of them.
    ///
    /// - Parameters:
    ///   - unlisted: courses and chapters that are no longer listed, if the pass has pruned.
    ///   - write: writes these files, by the register and the states of all shards.
    func end(
        _ catalog: Catalog, pruned unlisted: UnlistedFolders?, write: (DownloadStore, [DownloadStore]) async -> Void
    ) async throws(Refusal) {
        do throws(StoreError) {
            try open.store.facts.set(Self.seenFact, "\(clock.now.timeIntervalSince1970)")
        } catch { throw Refusal(error) }
        // The last shard reads the states of all.
        await copier?.copyIfChanged()
        guard let register = try await takeRegister() else { return }
        defer { register.close() }
        let found = try await blocking {
            if let unlisted, options.only.isEmpty { try forgetRemoved(unlisted, register.store) }
            let listed = try register.store.listings.records()
            try register.store.listings.forget(
                catalog.courses.filter { !$0.discover && listed[$0.id] != nil }.map(\.id))
            return try library.register.endSyncing() ? try states() : nil
        }
        if let found {
            await write(register.store, found.all)
            for state in found.others { state.close() }
        }
        try await blocking { try register.publish() }
    }

    /// Forgets what is gone, is of this shard and has left its state, so that its numbers and names are free.
    private func forgetRemoved(_ unlisted: UnlistedFolders, _ register: DownloadStore) throws {
        guard let shard = open.place.shard else { return }
        var gone: [DownloadKey] = []
        try register.downloads.scan { row in
            guard row.integer(.isGone) == 1, let course = row.string(.course), let video = row.string(.video),
                Shard.owner(of: video, in: course, among: shard.count) == shard
            else { return }
            gone.append(DownloadKey(course: course, video: video))
        }
        try register.downloads.delete(gone.filter { try open.store.downloads.record($0) == nil })
        try register.catalogs.deleteUnused(unlisted.courses, unlisted.chapters)
    }

    /// Whether a shard has ever been synced.
    private func wasSynced(_ place: StateLocation.Place) throws(LibraryError) -> Bool {
        guard let part = place.libraryPart, let shards = OtherShards(of: library) else { return false }
        let list: FileList<FileListEntry>? = try shards.list(of: part.name)
        return list != nil
    }

    /// The states of all shards, in their order, and those of them that are others'; nil if one can't be read, or isn't
    /// on this machine and has no copy in the library.
    private func states() throws(Refusal) -> (all: [DownloadStore], others: [DownloadStore])? {
        var (all, others): ([DownloadStore], [DownloadStore]) = ([], [])
        for place in open.place.shards(of: library) {
            guard place.shard != open.place.shard else {
                all.append(open.store)
                continue
            }
            do {
                if let state = try place.openForReading() {
                    all.append(state)
                    others.append(state)
                    if try LibraryOpening.recordedID(state) == library.id { continue }
                } else if try !wasSynced(place) {
                    continue
                }
            } catch {
                hub.post(.warning(.shardUnread(place.leftOut(Refusal(any: error))), nil))
            }
            for state in others { state.close() }
            return nil
        }
        return (all, others)
    }
}
