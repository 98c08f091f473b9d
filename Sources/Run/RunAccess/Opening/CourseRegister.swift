package import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
package import SyncFacts
import Synchronization
package import SystemPackage
import UserState

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The register of a library whose videos are divided among shards: a state of its own, with all courses, their
/// chapters, the last listings, and the name and number of each video, but without files. One shard has it at a time;
/// whoever needs it next goes on with the copy in the library.
///
/// If the copy is missing or isn't sound, the register is made again of this machine's last one and of what the states
/// of the shards say.
package final class CourseRegister: Sendable {
    /// How often it is tried whether another shard has let it go.
    private static let interval = Duration.milliseconds(500)
    private static let claimName = "register"
    /// `1` from the opening until everything is in the library: after a kill it is brought there by the next run.
    private static let changedFact = "register_changed"

    private struct State {
        var claim: VideoClaim?
        /// Rows that the library has.
        var changes: Int
        var isChanged: Bool
    }

    package let store: DownloadStore
    private let library: LibraryFolder
    private let draft: FilePath
    private let state: Mutex<State>

    private init(
        _ store: DownloadStore, _ library: LibraryFolder, _ claim: VideoClaim, by draft: FilePath
    ) throws(StoreError) {
        (self.store, self.library, self.draft) = (store, library, draft)
        let isChanged = try store.facts.value(Self.changedFact) != "0"
        if !isChanged { try store.facts.set(Self.changedFact, "1") }
        state = Mutex(State(claim: claim, changes: try store.changeCount(), isChanged: isChanged))
    }

    /// Takes the register of an open library; waits as long as another shard has it.
    ///
    /// - Parameter isStopped: whether the run has to end; then nil is returned.
    package static func open(
        _ place: StateLocation.Place, _ library: LibraryFolder, isStopped: @Sendable () -> Bool
    ) async throws(Refusal) -> CourseRegister? {
        guard let shards = OtherShards(of: library) else { return nil }
        let holder = LockHolder.current(user: place.user.text)
        do {
            while !isStopped() {
                if let claim = try shards.claim(claimName, as: holder) {
                    let store = try await Blocking.run { _ in Result { try opened(place, library) } }.get()
                    return try CourseRegister(
                        store, library, claim, by: place.folder.path.appending("register-home.sqlite"))
                }
                do { try await Task.sleep(for: interval) } catch { return nil }
            }
            return nil
        } catch {
            throw Refusal(any: error)
        }
    }

    /// A register to look at, in a temporary file, which the caller removes: the copy in the library, or a new one.
    package static func look(_ library: LibraryFolder?, at file: FilePath) throws(Refusal) -> DownloadStore {
        do {
            if let library, let store = try taken(library, at: file) { return store }
            ShardState.remove(file)
            return try DownloadStore(path: file.string, role: .holder)
        } catch {
            ShardState.remove(file)
            throw Refusal(any: error)
        }
    }

    /// The register of a library, in a file for it; nil if it is missing or not sound.
    package static func copy(in library: LibraryFolder, at file: FilePath) throws -> DownloadStore? {
        try taken(library, at: file)
    }

    /// Makes a state the register of a library once that is divided anew.
    package static func begin(_ store: DownloadStore, in library: LibraryFolder) throws {
        try LibraryOpening.confirm(library, in: store, division: library.division + 1)
        try ShardState.begin(store)
        let draft = FilePath(store.path + "-home")
        try ShardState.write(store, to: library.register.nextCopy(), by: draft)
    }

    /// Ends a look at a register.
    package static func forget(_ looked: DownloadStore) {
        looked.close()
        ShardState.remove(FilePath(looked.path))
    }

    /// Gives this state the listings that are newer here, and takes those that are newer there.
    package func exchangeListings(with state: DownloadStore) throws(Refusal) {
        do throws(StoreError) {
            try state.takeNewerListings(from: store.path)
            try store.takeNewerListings(from: state.path)
        } catch { throw Refusal(error) }
    }

    /// Brings it into the library if it has changed.
    package func publish() throws(Refusal) {
        do {
            let (changes, isChanged) = state.withLock { ($0.changes, $0.isChanged) }
            guard try isChanged || store.changeCount() != changes else { return }
            try ShardState.write(store, to: library.register.copy(), by: draft)
            let now = try store.changeCount()
            state.withLock { ($0.changes, $0.isChanged) = (now, false) }
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Lets it go. What wasn't brought into the library is brought there by the next run of this machine.
    package func close() {
        guard let (changes, isChanged) = state.withLock({ $0.claim == nil ? nil : ($0.changes, $0.isChanged) }) else {
            return
        }
        if !isChanged, (try? store.changeCount()) == changes { try? store.facts.set(Self.changedFact, "0") }
        store.close()
        state.withLock { $0.claim = nil }
    }

    // MARK: opening

    private static func opened(_ place: StateLocation.Place, _ library: LibraryFolder) throws -> DownloadStore {
        try place.folder.create()
        let file = place.folder.register
        let mark = try library.register.ifThere()?.mark()
        let own = try ofThisMachine(file, library)
        if let mark, let own {
            let known = try ShardState.own(own)
            if known.id == mark.state, known.copies.contains(mark.copy) { return own }
        }
        let draft = place.folder.path.appending("register-copy.sqlite")
        // As of the state: a journal that a kill has left.
        ShardState.remove(draft)
        defer { ShardState.remove(draft) }
        if mark != nil, let taken = try taken(library, at: draft) {
            // What was written before a kill, and isn't in the library's copy.
            if let own, try own.facts.value(changedFact) != "0" { try taken.takeMetadata(from: own.path) }
            taken.close()
            own?.close()
            ShardState.remove(file)
            guard rename(draft.string, file.string) == 0 else {
                throw LibraryError.system(.rename, path: file.string, Errno(rawValue: errno))
            }
            return try DownloadStore(path: file.string, role: .holder)
        }
        return try madeAgain(own, at: file, place, library)
    }

    /// A register made of this machine's last one, if it has one, and of what the states of the shards say.
    private static func madeAgain(
        _ own: DownloadStore?, at file: FilePath, _ place: StateLocation.Place, _ library: LibraryFolder
    ) throws -> DownloadStore {
        if own == nil { ShardState.remove(file) }
        let store = try own ?? DownloadStore(path: file.string, role: .holder)
        try LibraryOpening.confirm(library, in: store)
        try ShardState.begin(store)
        try store.facts.set(changedFact, "1")
        for shard in place.shards(of: library) {
            do {
                guard let state = try shard.openForReading() else { continue }
                defer { state.close() }
                guard try LibraryOpening.recordedID(state) == library.id else { continue }
                try store.takeOverNames(from: state.path)
            } catch {
                throw shard.leftOut(Refusal(any: error))
            }
        }
        return store
    }

    /// The register that this machine has of the library as it is divided now; nil without one.
    private static func ofThisMachine(_ file: FilePath, _ library: LibraryFolder) throws -> DownloadStore? {
        guard FileManager.default.fileExists(atPath: file.string),
            let store = try? DownloadStore(path: file.string, role: .holder)
        else { return nil }
        let own = try ShardState.own(store)
        if own.library == library.id, own.division == library.division { return store }
        store.close()
        return nil
    }

    /// The copy in the library, in a file for it; nil if there is none, or it isn't sound.
    private static func taken(_ library: LibraryFolder, at file: FilePath) throws -> DownloadStore? {
        guard let copy = try library.register.ifThere(), let mark = try copy.mark(), try copy.read(to: file),
            DownloadStore.isSound(file.string)
        else { return nil }
        let store = try DownloadStore(path: file.string, role: .holder)
        let own = try ShardState.own(store)
        guard own.id == mark.state, own.copies.contains(mark.copy), own.library == library.id else {
            store.close()
            return nil
        }
        try ShardState.goOn(with: mark, store)
        try store.facts.set(changedFact, "0")
        return store
    }
}
