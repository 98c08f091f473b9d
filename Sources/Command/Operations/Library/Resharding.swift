package import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState

/// Divides a library's states anew: each new shard gets the rows, partials and list of files of its courses, or of its
/// part of each course's videos. No file of the library is moved, and no network is used.
///
/// Needs the locks of all old shards. Everything is made beside what is there; the library's marker, which is written
/// last, decides which counts. A kill at any moment leaves either division whole, and whoever takes a lock next removes
/// the rest.
package struct Resharding: Sendable {
    /// Absolute.
    package var library: String
    /// The number of shards before; nil if there was one state without shards.
    package var from: Int?
    package var to: Int
    /// Whether each course's videos are divided, not the courses.
    package var dividesVideos: Bool
    /// Whether the library was divided so already.
    package var isUnchanged = false
    package var courses = 0
    /// Downloads that some shard has now.
    package var videos = 0
    /// Incomplete ones whose bytes are kept.
    package var partials = 0

    /// - Parameter unit: nil leaves it as it is.
    package static func run(
        _ location: StateLocation, into count: Int, by unit: ShardUnit?
    ) async throws(Refusal) -> Resharding {
        let place = try location.resolve().ofUser
        let sources = try await Sources(place, into: count, by: unit)
        do {
            return try sources.divide(into: count)
        } catch {
            throw Refusal(any: error)
        }
    }
}

/// The states of a library before it is divided anew: locked, and with nothing left to settle.
private struct Sources {
    /// One of them.
    private struct Source {
        let place: StateLocation.Place
        let lock: FileLock
        let library: LibraryFolder
        /// Empty for a shard that was never synced, which has no state.
        var courses: Set<String> = []
        var partials: [PartialName] = []
        var hasState = true

        var database: String { place.folder.database.string }
    }

    private let user: StateLocation.Place
    private let root: FilePath
    /// Nil without shards.
    private let from: Int?
    /// What is divided from now on.
    private let unit: ShardUnit
    /// Empty if the library is divided so already.
    private let all: [Source]

    init(_ user: StateLocation.Place, into count: Int, by unit: ShardUnit?) async throws(Refusal) {
        let places = try Self.places(of: user)
        self.user = user
        from = places[0].shard?.count
        let before = try Self.unit(of: places[0])
        self.unit = unit ?? before
        guard from != count else {
            // The parts of the new shards would have the names of the old ones.
            guard self.unit == before else { throw .run(.sameCount(count)) }
            (root, all) = (places[0].givenLibrary ?? "", [])
            return
        }
        for place in places { try Self.requireFree(place) }
        var all: [Source] = []
        for place in places { all.append(try await Self.open(place)) }
        self.all = all
        root = all[0].library.root
    }

    /// What the shards of a library divide.
    private static func unit(of place: StateLocation.Place) throws(Refusal) -> ShardUnit {
        do {
            guard place.shard != nil, let library = place.givenLibrary else { return .course }
            return try LibraryFolder.marker(of: library)?.dividesVideos == true ? .video : .course
        } catch {
            throw Refusal(any: error)
        }
    }

    /// All shards of the library, or the state without shards. Refuses if the states here are those of several
    /// libraries, and none is given.
    private static func places(of user: StateLocation.Place) throws(Refusal) -> [StateLocation.Place] {
        do {
            guard user.givenLibrary == nil else { return try placesOfGiven(user) }
            var ids: Set<LibraryID> = []
            for place in user.shards {
                guard let store = (try? place.openAsIs()) ?? nil else { continue }
                defer { store.close() }
                if let id = try LibraryOpening.recordedID(store) { ids.insert(id) }
            }
            guard let store = try user.openAsIs() else { return try user.allShards() }
            defer { store.close() }
            if let id = try LibraryOpening.recordedID(store) { ids.insert(id) }
            guard ids.count <= 1 else { throw Refusal.run(.severalLibraries(user.user.text)) }
            guard try LibraryOpening.recordedID(store) != nil else { return try user.allShards() }
            var given = user
            given.givenLibrary = try user.library(in: store).path
            return try placesOfGiven(given)
        } catch {
            throw Refusal(any: error)
        }
    }

    private static func placesOfGiven(_ user: StateLocation.Place) throws(Refusal) -> [StateLocation.Place] {
        do throws(Refusal) { return try user.allShards() } catch .run(.noShards) { return [user] }
    }

    /// Refuses a state or a part that is in use, before anything is settled in others.
    private static func requireFree(_ place: StateLocation.Place) throws(Refusal) {
        do {
            if let held = try place.folder.lockHolder() { throw Refusal.held(held.holder) }
            guard let library = place.givenLibrary else { return }
            if let held = try LibraryFolder.isInUse(library, part: place.libraryPart) {
                throw LibraryError.inUse(library: library.string, by: held.holder)
            }
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Takes the locks of a shard that was never synced, here or elsewhere; nil if it was.
    private static func openNew(_ place: StateLocation.Place) async throws -> Source? {
        guard let part = place.libraryPart, let root = place.givenLibrary, !place.hasState,
            try StateCopy.find(at: root, part: part) == nil, let marker = try LibraryFolder.marker(of: root)
        else { return nil }
        try place.folder.create()
        guard let lock = try place.folder.lockNow() else { throw Refusal.held(nil) }
        let library = try LibraryFolder.open(
            root, expecting: .known(LibraryID(rawValue: marker.id)), owner: .current(user: place.user.text), part: part)
        try await library.lock(user: place.user.text)
        return Source(place: place, lock: lock, library: library, hasState: false)
    }

    private static func open(_ place: StateLocation.Place) async throws(Refusal) -> Source {
        do { if let new = try await openNew(place) { return new } } catch { throw Refusal(any: error) }
        let (lock, store) = try await place.openForWriting(for: [])
        defer { store.close() }
        do {
            if place.shard == nil, try LibraryOpening.recordedID(store) == nil { throw Refusal.run(.noLibrary) }
            let library = try LibraryOpening.open(place, store)
            try await library.lock(user: place.user.text)
            let shard = ShardState(place)
            try shard.check(store, library)
            if place.shard != nil, try shard.isBehind(store) {
                _ = try RecordedMoves(store: store, library: library).finish(try store.moves.recorded())
                let rebuild = LibraryRebuild(store: store, library: library)
                let result = try await Blocking.run { stop in Result { try rebuild.run(shouldStop: stop) } }.get()
                if result.isNewer { throw Refusal.run(.newerList(library: library.root.string, isUnused: false)) }
            }
            let written = UnflushedRecord.bytes(at: place.folder.unflushed.string)
            let recovery = CrashRecovery(store: store, library: library, unflushed: written)
            let outcome = try recovery.run(at: Date())
            if let error = outcome.unsettled.values.first { throw Refusal.run(.unsettled(error)) }
            if let stranded = try library.stranded.files(besides: []).first {
                throw Refusal.run(.stranded(path: stranded))
            }
            return Source(
                place: place, lock: lock, library: library, courses: try store.courseIDs(),
                partials: Array(try library.partials.all().keys))
        } catch {
            throw Refusal(any: error)
        }
    }

    // MARK: dividing

    func divide(into count: Int) throws -> Resharding {
        var done = Resharding(library: root.string, from: from, to: count, dividesVideos: unit == .video)
        guard let first = all.first else {
            done.isUnchanged = true
            try? forgetOldStates()
            return done
        }
        try first.library.beginDivision(into: count)
        let owners = owners(among: count)
        let shards = (1...count).compactMap { Shard(index: $0, count: count) }
        let old = try takeRegister()
        defer { old.map(ShardState.remove) }
        for shard in shards { try make(shard, owners, from: old, &done) }
        if unit == .video { try makeRegister(old) }
        done.courses = owners.keys.count { !$0.isEmpty }
        try first.library.finishDivision(
            into: count, dividesVideos: unit == .video, owner: .current(user: user.user.text))
        // From here on it is done, whatever fails.
        try? forgetOldStates()
        for shard in shards { user.ofShard(shard, givenLibrary: root).takeCopy() }
        return done
    }

    private func owners(among count: Int) -> [String: Shard] {
        var owners: [String: Shard] = [:]
        // The page of all courses is recorded for a course without an id, which may be in a register only.
        for course in [""] + all.flatMap(\.courses) where owners[course] == nil {
            owners[course] = Shard.owner(of: course, among: count)
        }
        return owners
    }

    /// The register of the library as it is divided now, in a temporary file; nil without one.
    private func takeRegister() throws -> FilePath? {
        guard all[0].library.dividesVideos else { return nil }
        let file = all[0].place.folder.path.appending("reshard-register.sqlite")
        ShardState.remove(file)
        guard let register = try CourseRegister.copy(in: all[0].library, at: file) else { return nil }
        register.close()
        return file
    }

    /// Makes the register of the shards that divide videos from now on.
    private func makeRegister(_ old: FilePath?) throws {
        let draft = all[0].place.folder.path.appending("reshard.sqlite")
        ShardState.remove(draft)
        defer { ShardState.remove(draft) }
        let store = try DownloadStore(path: draft.string, role: .holder)
        defer { store.close() }
        if let old { try store.takeOverNames(from: old.string) }
        for source in all where source.hasState { try store.takeOverNames(from: source.database) }
        try CourseRegister.begin(store, in: all[0].library)
    }

    /// Which videos of its courses a new shard has.
    private func isOwn(_ shard: Shard) -> (@Sendable (_ course: String, _ video: String) -> Bool)? {
        guard unit == .video else { return nil }
        return { Shard.owner(of: $1, in: $0, among: shard.count) == shard }
    }

    /// Makes the part of a new shard, with a state.
    ///
    /// - Parameter register: of the old shards; nil if they divided courses.
    private func make(
        _ shard: Shard, _ owners: [String: Shard], from register: FilePath?, _ done: inout Resharding
    ) throws {
        let part = try all[0].library.newPart(
            LibraryPart(name: shard.folderName, count: shard.count, dividesVideos: unit == .video))
        let folder = all[0].place.folder
        let draft = folder.path.appending("reshard.sqlite")
        ShardState.remove(draft)
        defer { ShardState.remove(draft) }
        let store = try DownloadStore(path: draft.string, role: .holder)
        defer { store.close() }
        if let register {
            // It decides what the courses are called.
            let courses = unit == .video ? Set(owners.keys) : Set(owners.filter { $0.value == shard }.keys)
            _ = try store.takeOver(courses, from: register.string, ids: []) { _, _ in false }
        }
        for source in all where source.hasState {
            if shard.index == 1 { try store.takeOverHistory(from: source.database) }
            let courses = unit == .video ? source.courses : source.courses.filter { owners[$0] == shard }
            guard !courses.isEmpty else { continue }
            let ids = try store.takeOver(
                courses, from: source.database, ids: Set(source.partials.map(\.download)), where: isOwn(shard))
            for partial in source.partials {
                guard let id = ids[partial.download] else { continue }
                try part.takePartial(partial, of: source.library, as: partial.of(download: id))
            }
            let kept = try store.downloads.records(Set(ids.values).map { DownloadID(rawValue: $0) })
            done.partials += kept.count { $0.durableBytes > 0 }
        }
        if unit == .video { try store.forgetWhole(Set(owners.filter { $0.value != shard }.keys)) }
        try part.flushPartials()
        try LibraryOpening.confirm(part, in: store)
        let list = FileListUpdater(store: store, library: part)
        list.begin(isGoingToChange: false)
        if let failure = list.failure { throw failure }
        try ShardState.begin(store)
        try ShardState.write(store, part, by: folder)
        done.videos += try store.downloads.counts().values.reduce(0, +)
    }

    /// Removes this machine's states of the library's old divisions, also those that an earlier call was killed before.
    /// Those of other machines count no more. What can't be removed is in nobody's way.
    private func forgetOldStates() throws {
        guard let marker = try LibraryFolder.marker(of: root) else { return }
        for source in all where source.place.shard != nil { source.place.folder.removeState() }
        for place in user.shards {
            guard let lock = (try? place.folder.lockNow()) ?? nil else { continue }
            defer { lock.release() }
            guard place.hasState else {
                // What a removal that was killed has left.
                place.folder.removeState()
                continue
            }
            guard let store = (try? place.openAsIs()) ?? nil else { continue }
            let isOld = try? LibraryOpening.isOutdated(store, for: marker)
            store.close()
            if isOld == true { place.folder.removeState() }
        }
        // The lock of a state without shards is among those of the sources.
        let lock = from == nil ? nil : try user.folder.lockNow()
        guard from == nil || lock != nil, let own = try user.openAsIs() else { return }
        defer {
            own.close()
            lock?.release()
        }
        if try LibraryOpening.isOutdated(own, for: marker) { try own.forgetLibrary() }
    }
}

extension StateLocation.Place {
    /// Takes the copy of a new shard's state from its library, so that the next command on this machine knows where
    /// that is.
    fileprivate func takeCopy() {
        guard (try? folder.create()) != nil else { return }
        (try? openForReading())??.close()
    }
}
