package import DownloadStore
import FileSystem
package import MediaLibrary
package import SyncFacts
import SystemPackage
import UserState

/// The library as the state knows it.
package enum LibraryOpening {
    private static let idFact = "library"
    private static let confirmedFact = "library_confirmed"
    private static let pathFact = "library_path"

    /// Where the state's library was opened last; nil if it has none.
    package static func recordedPath(_ store: DownloadStore) throws(StoreError) -> String? {
        try store.facts.value(pathFact)
    }

    /// The library's id, if the state has one that is confirmed by a marker.
    package static func recordedID(_ store: DownloadStore) throws(StoreError) -> LibraryID? {
        guard try store.facts.value(confirmedFact) != nil else { return nil }
        return try store.facts.value(idFact).map { LibraryID(rawValue: $0) }
    }

    /// Opens the library that the state knows, or makes one for a state that knows none.
    ///
    /// The id is recorded before the folder is made and confirmed after, so that a kill between leaves nothing that the
    /// next run refuses.
    package static func open(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal) -> LibraryFolder {
        do {
            let owner = LibraryOwner.current(user: place.user.text)
            let recorded = try store.facts.value(idFact).map { LibraryID(rawValue: $0) }
            if let recorded, try store.facts.value(confirmedFact) != nil {
                let library = try LibraryFolder.open(place.library, expecting: .known(recorded), owner: owner)
                if try store.facts.value(pathFact) != place.library.string {
                    try store.facts.set(pathFact, place.library.string)
                }
                return library
            }
            let id = recorded ?? .random()
            if recorded == nil { try store.facts.set(idFact, id.rawValue) }
            let library = try LibraryFolder.open(place.library, expecting: .new(id), owner: owner)
            try store.facts.set(pathFact, place.library.string)
            try store.facts.set(confirmedFact, "1")
            return library
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Opens the library for a command that isn't told where it is: where the state used it last. Nil if it has none yet.
    static func openKnown(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal) -> LibraryFolder? {
        do {
            guard try recordedID(store) != nil else { return nil }
        } catch {
            throw Refusal(error)
        }
        return try open(known(place, store), store)
    }

    /// As ``openKnown(_:_:)``, and writes nothing into the state: for who looks without the lock.
    package static func openToLook(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal)
        -> LibraryFolder?
    {
        let place = try known(place, store)
        do {
            guard let id = try recordedID(store) else { return nil }
            return try LibraryFolder.open(place.library, expecting: .known(id), owner: .current(user: place.user.text))
        } catch {
            throw Refusal(any: error)
        }
    }

    /// The place with the library where the state used it last, unless the person says where it is.
    package static func known(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal)
        -> StateLocation.Place
    {
        var place = place
        do {
            if !place.isLibraryGiven, let path = try recordedPath(store) { place.library = FilePath(path) }
        } catch {
            throw Refusal(error)
        }
        return place
    }

    /// Makes the folder this state's library from now on, whoever's it was.
    package static func adopt(_ place: StateLocation.Place, _ store: DownloadStore) throws(Refusal) -> LibraryFolder {
        do {
            if let held = try LibraryFolder.isInUse(place.library) {
                throw LibraryError.inUse(library: place.library.string, by: held.holder)
            }
            let id = try store.facts.value(idFact).map { LibraryID(rawValue: $0) } ?? .random()
            try store.facts.set(idFact, id.rawValue)
            let library = try LibraryFolder.adopt(place.library, as: id, owner: .current(user: place.user.text))
            try store.facts.set(pathFact, place.library.string)
            try store.facts.set(confirmedFact, "1")
            return library
        } catch {
            throw Refusal(any: error)
        }
    }
}
