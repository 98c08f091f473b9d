package import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
package import SyncFacts
package import SystemPackage
package import UserState

/// The state of a shard, which any machine may go on with: this one's, or the copy in the library that another machine
/// has brought there. Does nothing without a shard.
///
/// Each copy has a name of its own, which the state notes before it is copied, and as the last one once the copy is in
/// its place. A machine's state counts if the copy in the library is one of these two: then it made that copy, or
/// began with it, and nobody has gone on with it since. A state from before the library was divided anew counts as
/// none.
package struct ShardState {
    private static let idFact = "state"
    private static let lastFact = "state_copy"
    private static let nextFact = "state_copy_next"
    private static let behindFact = "state_behind"

    /// What a state says of itself.
    struct Own: Equatable {
        /// Empty for one that was never copied.
        var id: String
        /// The last copy that it made or began with, and the next one.
        var copies: Set<String>
        /// Its library, and how often that had been divided anew.
        var library: LibraryID?
        var division = 0

        /// Whether it is from before the library was divided anew.
        func isOutdated(for marker: LibraryMarker) -> Bool {
            library?.rawValue == marker.id && division != marker.division ?? 0
        }
    }

    /// What decides between this machine's state and the copy.
    enum Choice: Equatable {
        case own, copy
    }

    private let place: StateLocation.Place

    package init(_ place: StateLocation.Place) { self.place = place }

    /// - Parameters:
    ///   - own: of this machine's state; nil if there is none, or it has never been synced.
    ///   - copied: of the copy; nil if it can't be told.
    static func choose(own: Own?, copied: StateMark?) -> Choice {
        guard let own else { return .copy }
        // Another state's is refused when the library is opened.
        guard let copied, copied.state == own.id else { return .own }
        return own.copies.contains(copied.copy) ? .own : .copy
    }

    // MARK: taking the copy

    /// ``takeNewerCopy()`` for a command that only reads. Does nothing while a process of this machine has the lock:
    /// its state is the newest one. A library or copy that can't be read is no reason to show nothing: returns it only
    /// if there is no state of this machine, so that the copy is all that is known.
    func refresh() -> Refusal? {
        do {
            guard try isBehindLibrary(role: .client) else { return nil }
            try place.folder.create()
            guard let lock = try place.folder.lockNow() else { return nil }
            defer { lock.release() }
            try takeNewerCopy()
            guard !place.hasState, let part = place.libraryPart else { return nil }
            // A mark without a copy.
            let library = try place.library(in: nil).path
            throw LibraryError.partOfAnother(library: library.string, part: part.name)
        } catch {
            return place.hasState ? nil : Refusal(any: error)
        }
    }

    private func isBehindLibrary(role: StateRole) throws -> Bool {
        guard let part = place.libraryPart else { return false }
        let (own, library) = try own(role: role)
        guard let copy = try StateCopy.find(at: library, part: part), let mark = try copy.mark() else { return false }
        guard let own, let marker = try LibraryFolder.marker(of: library), own.isOutdated(for: marker) else {
            return Self.choose(own: own, copied: mark) == .copy
        }
        return true
    }

    /// Puts the copy in the library in the place of an older state of this machine, or of none. Refuses if the copy
    /// isn't sound and the state is an older one. For the holder of the shard's lock, before the state is opened.
    ///
    /// - Parameter orKeep: don't refuse, but keep the state; one from before a division is removed.
    func takeNewerCopy(orKeep: Bool = false) throws(Refusal) {
        guard let part = place.libraryPart else { return }
        do {
            let (own, library) = try own(role: .holder)
            // Another user's is refused when the library is opened, and so is one that is divided otherwise.
            guard let marker = try LibraryFolder.marker(of: library), marker.user == place.user.text,
                marker.shards == part.count
            else { return }
            let database = place.folder.database
            let isOutdated = own?.isOutdated(for: marker) ?? false
            guard let copy = try StateCopy.find(at: library, part: part), try copy.isThere() else {
                if isOutdated { Self.remove(database) }
                return
            }
            let mark = try copy.mark()
            guard Self.choose(own: isOutdated ? nil : own, copied: mark) == .copy else { return }
            let draft = place.folder.path.appending("state-copy.sqlite")
            // A journal that a kill has left would be taken for one of the new file.
            Self.remove(draft)
            defer { Self.remove(draft) }
            guard try copy.read(to: draft), try prepare(draft, of: marker, at: library, mark) else {
                if orKeep, isOutdated { Self.remove(database) }
                guard own != nil, !orKeep else { return }
                throw LibraryError.partOfAnother(library: library.string, part: part.name)
            }
            Self.remove(database)
            guard rename(draft.string, database.string) == 0 else {
                throw LibraryError.system(.rename, path: database.string, Errno(rawValue: errno))
            }
        } catch {
            throw Refusal(any: error)
        }
    }

    /// What this machine's state says, nil without one that was synced, and the place of its library.
    private func own(role: StateRole) throws -> (Own?, library: FilePath) {
        guard place.hasState, let store = try place.openAsIs(role) else {
            return (nil, try place.library(in: nil).path)
        }
        defer { store.close() }
        let library = try place.library(in: store).path
        guard try LibraryOpening.recordedID(store) != nil else { return (nil, library) }
        return (try Self.own(store), library)
    }

    static func own(_ store: DownloadStore) throws -> Own {
        let copies = [try store.facts.value(lastFact), try store.facts.value(nextFact)].compactMap(\.self)
        return Own(
            id: try store.facts.value(idFact) ?? "", copies: Set(copies), library: try LibraryOpening.recordedID(store),
            division: try LibraryOpening.division(store))
    }

    /// Makes a copied file this machine's state of the library, which may be ahead of it. Returns false if it isn't a
    /// sound state of this library, or not the one of the mark.
    private func prepare(
        _ file: FilePath, of marker: LibraryMarker, at library: FilePath, _ mark: StateMark?
    ) throws -> Bool {
        guard DownloadStore.isSound(file.string) else { return false }
        let store = try DownloadStore(path: file.string, role: .holder)
        defer { store.close() }
        let copied = try Self.own(store)
        guard !copied.id.isEmpty, copied.division == marker.division ?? 0,
            try LibraryOpening.recordedID(store)?.rawValue == marker.id
        else { return false }
        if let mark {
            guard mark.state == copied.id else { return false }
            // A kill between copy and mark leaves an older mark.
            guard copied.copies.contains(mark.copy) else { return false }
            try Self.goOn(with: mark, store)
        }
        try LibraryOpening.note(library, in: store)
        try store.facts.set(Self.behindFact, "1")
        if try store.runs.isUnsettled() { try store.forgetProgress() }
        return true
    }

    /// Notes which copy a state has begun with.
    static func goOn(with mark: StateMark, _ store: DownloadStore) throws(StoreError) {
        try store.facts.set(lastFact, mark.copy)
    }

    /// Removes a database with the files that SQLite has beside it; a missing one is fine.
    package static func remove(_ database: FilePath) {
        for name in ["", "-wal", "-shm", "-journal"] {
            // Once more after an error that passes: nobody would look for it later.
            if unlink(database.string + name) != 0, errno != ENOENT { unlink(database.string + name) }
        }
    }

    // MARK: making the copy

    /// Refuses a shard's state that is about to change, in the opened and locked library, if another state, or this one
    /// on another machine, has been copied there since.
    package func check(_ store: DownloadStore, _ library: LibraryFolder) throws(Refusal) {
        guard let part = place.libraryPart else { return }
        do {
            try library.requireDivision()
            let own = try Self.own(store)
            guard own.division == library.division else {
                throw LibraryError.partOfAnother(library: library.root.string, part: part.name)
            }
            guard let copied = try library.stateCopy.mark() else { return }
            if copied.state != own.id {
                throw LibraryError.partOfAnother(library: library.root.string, part: part.name)
            }
            if Self.choose(own: own, copied: copied) == .copy {
                throw Refusal.run(.overtaken(part.name, by: copied.host))
            }
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Whether the library has the state as a sync of this machine left it. Otherwise another machine may go on with
    /// what it has.
    package func isKnown(_ store: DownloadStore, _ library: LibraryFolder) throws -> Bool {
        guard let copied = try library.stateCopy.mark() else { return false }
        return try copied.copy == store.facts.value(Self.lastFact) && !isBehind(store)
    }

    /// Makes the state the one that counts, whichever did before.
    func takeOver(_ store: DownloadStore, _ library: LibraryFolder) throws {
        guard place.shard != nil else { return }
        try Self.begin(store)
        try write(store, library)
    }

    /// Makes it a state of its own, which no copy is of yet.
    package static func begin(_ store: DownloadStore) throws(StoreError) { try store.facts.set(idFact, random()) }

    /// Copies a state that a command has changed, if it is a shard's and has a library.
    package func share(_ store: DownloadStore, in opened: LibraryFolder? = nil) async throws(Refusal) {
        guard place.shard != nil else { return }
        do {
            guard let library = try opened ?? LibraryOpening.openKnown(place, store) else { return }
            if opened == nil { try await library.lock(user: place.user.text) }
            try check(store, library)
            try write(store, library)
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Whether the state was a copy, to which the library's list of files may add something.
    package func isBehind(_ store: DownloadStore) throws(StoreError) -> Bool {
        try store.facts.value(Self.behindFact) == "1"
    }

    package func hasCaughtUp(_ store: DownloadStore) throws(StoreError) { try store.facts.set(Self.behindFact, "0") }

    /// Copies the state into the library. Throws ``StoreError`` or ``LibraryError``.
    package func write(_ store: DownloadStore, _ library: LibraryFolder) throws {
        try Self.write(store, library, by: place.folder)
    }

    /// Copies the state of the library's shard into it, by a file in `folder`.
    package static func write(_ store: DownloadStore, _ library: LibraryFolder, by folder: StateFolder) throws {
        try write(store, to: library.stateCopy, by: folder.path.appending("state-home.sqlite"))
    }

    /// Makes a copy of a state by a temporary file.
    static func write(_ store: DownloadStore, to copy: StateCopy, by draft: FilePath) throws {
        let id = try store.facts.value(idFact) ?? random()
        try store.facts.set(idFact, id)
        let mark = StateMark(state: id, copy: random(), host: HostName.current)
        // A kill may have come before the last copy was noted as such. If it comes between this copy and its mark, the
        // copy still has to know the mark that is there.
        if let last = try copy.mark()?.copy, try store.facts.value(nextFact) == last {
            try store.facts.set(lastFact, last)
        }
        try store.facts.set(nextFact, mark.copy)
        remove(draft)
        defer { remove(draft) }
        try store.copy(to: draft.string)
        try copy.write(draft, mark)
        try store.facts.set(lastFact, mark.copy)
    }

    private static func random() -> String { LibraryID.random().rawValue }
}
