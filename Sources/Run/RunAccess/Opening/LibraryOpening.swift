package import DownloadStore
import FileSystem
package import MediaLibrary
package import SyncFacts
import SystemPackage
import UserState

/// Opens the library recorded in the state.
package enum LibraryOpening {
    private static let idFact = "library"
    private static let confirmedFact = "library_confirmed"
    private static let pathFact = "library_path"
    private static let divisionFact = "division"

    /// The last path of the state's library; nil if it has none.
    package static func recordedPath(_ store: DownloadStore) throws(StoreError) -> String? {
        try store.facts.value(pathFact)
    }

    /// Records where the state's library is on this machine.
    static func note(_ path: FilePath, in store: DownloadStore) throws(StoreError) {
        try store.facts.set(pathFact, path.string)
    }

    /// How often the library had been divided anew when the state began to belong to it.
    static func division(_ store: DownloadStore) throws(StoreError) -> Int {
        try store.facts.value(divisionFact).flatMap { Int($0) } ?? 0
    }

    /// Whether a state belongs to the library of a marker, and is from before it was divided anew.
    package static func isOutdated(_ store: DownloadStore, for marker: LibraryMarker) throws(StoreError) -> Bool {
        guard try recordedID(store)?.rawValue == marker.id else { return false }
        return try division(store) < marker.division ?? 0
    }

    /// Makes a state that of an opened library.
    ///
    /// - Parameter division: nil for that of the library as it was opened.
    package static func confirm(
        _ library: LibraryFolder, in store: DownloadStore, division: Int? = nil
    ) throws(StoreError) {
        let division = division ?? library.division
        try store.facts.set(idFact, library.id.rawValue)
        try store.facts.set(pathFact, library.root.string)
        if try Self.division(store) != division { try store.facts.set(divisionFact, "\(division)") }
        try store.facts.set(confirmedFact, "1")
    }

    /// The library's id, if the state has one that is confirmed by a marker.
    package static func recordedID(_ store: DownloadStore) throws(StoreError) -> LibraryID? {
        guard try store.facts.value(confirmedFact) != nil else { return nil }
        return try store.facts.value(idFact).map { LibraryID(rawValue: $0) }
    }

    /// Opens the library recorded in the state, or makes one for a state without.
    ///
    /// The id is recorded before the folder is made and confirmed after, so that a kill in between leaves nothing that
    /// the next run refuses.
    package static func open(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal) -> LibraryFolder {
        do {
            let path = try place.library(in: store).path
            let owner = LibraryOwner.current(user: place.user.text)
            let recorded = try store.facts.value(idFact).map { LibraryID(rawValue: $0) }
            if let recorded, try store.facts.value(confirmedFact) != nil {
                let library = try LibraryFolder.open(
                    path, expecting: .known(recorded), owner: owner, part: place.libraryPart)
                if try store.facts.value(pathFact) != path.string { try store.facts.set(pathFact, path.string) }
                return library
            }
            let id = recorded ?? .random()
            if recorded == nil { try store.facts.set(idFact, id.rawValue) }
            let library = try LibraryFolder.open(path, expecting: .new(id), owner: owner, part: place.libraryPart)
            // A shard takes the one that another shard has marked.
            try confirm(library, in: store)
            return library
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Opens the library recorded in the state; nil if it has none yet.
    static func openKnown(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal) -> LibraryFolder? {
        do {
            guard try recordedID(store) != nil else { return nil }
        } catch {
            throw Refusal(error)
        }
        return try open(place, store)
    }

    /// Like ``openKnown(_:_:)``, without writing to the state: for readers without the lock.
    package static func openToLook(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal)
        -> LibraryFolder?
    {
        do {
            guard let id = try recordedID(store) else { return nil }
            let path = try place.library(in: store).path
            return try LibraryFolder.open(
                path, expecting: .known(id), owner: .current(user: place.user.text), part: place.libraryPart)
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Makes the folder this state's library from now on, whichever state owned it. The library of another user is
    /// refused, unless that is `previous`; a copy is nobody's.
    package static func adopt(
        _ place: StateLocation.Place, _ store: DownloadStore, from previous: String?
    ) throws(Refusal) -> LibraryFolder {
        do {
            let path = try place.library(in: store).path
            // One whose mark can't be read is nobody's.
            if let marker = try? LibraryFolder.marker(of: path), marker.copyOf == nil,
                ![place.user.text, previous].contains(marker.user)
            {
                throw Refusal.run(.libraryOfUser(path.string, marker, adopter: place.user.text))
            }
            if let held = try LibraryFolder.isInUse(path, part: place.libraryPart) {
                throw LibraryError.inUse(library: path.string, by: held.holder)
            }
            if let part = place.libraryPart { return try adopt(part, at: path, place, store) }
            if try LibraryFolder.hasShards(path) { throw LibraryError.hasShards(library: path.string) }
            let id = try store.facts.value(idFact).map { LibraryID(rawValue: $0) } ?? .random()
            try store.facts.set(idFact, id.rawValue)
            let library = try LibraryFolder.adopt(path, as: id, owner: .current(user: place.user.text))
            try confirm(library, in: store)
            return library
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Makes the library of all shards this shard's, too: its mark stays.
    private static func adopt(
        _ part: LibraryPart, at path: FilePath, _ place: StateLocation.Place, _ store: DownloadStore
    ) throws -> LibraryFolder {
        let id = try store.facts.value(idFact).map { LibraryID(rawValue: $0) } ?? .random()
        // A new state takes the id over, or is refused.
        let library = try LibraryFolder.open(
            path, expecting: .new(id), owner: .current(user: place.user.text), part: part, takesOver: true)
        try confirm(library, in: store)
        try ShardState(place).takeOver(store, library)
        return library
    }
}
