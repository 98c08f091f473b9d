import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState

/// The result of `library move` and `library adopt`.
package struct LibraryChange: Sendable {
    /// Absolute.
    package var library: String
    /// The place given by an option, the environment or the settings file, if it differs: these override the state.
    package var setting: String?
    /// The previous place; nil if it is the same.
    package var previous: String?
    /// The number of finished downloads that the state has there.
    package var files: Int
    /// Videos restored from the library's list, and ignored lines; nil if the list wasn't read.
    package var rebuilt: (videos: Int, leftOut: Int)?

    package init(library: String, previous: String?, files: Int) {
        self.library = library
        self.previous = previous
        self.files = files
    }

    /// Records that the user has moved the library to `folder`, once its marker has proven it. Moves no file.
    package static func move(_ location: StateLocation, to folder: String) async throws(Refusal) -> LibraryChange {
        var moved = location
        moved.library = folder
        var done = try await change(moved) { place, store throws(Refusal) in
            let id: LibraryID?
            do throws(StoreError) { id = try LibraryOpening.recordedID(store) } catch { throw Refusal(error) }
            guard id != nil else { throw .run(.noLibrary) }
            do throws(Refusal) {
                _ = try LibraryOpening.open(place, store)
            } catch .library(let error) {
                throw .run(.notMovedThere(error))
            }
        }
        let setting = try location.resolve().givenLibrary?.string
        done.setting = setting == done.library ? nil : setting
        return done
    }

    /// Makes the folder this state's library, whichever state owned it. Moves no file. With `rebuild` the state is
    /// first restored from the library's list, as far as it can be proven.
    ///
    /// - Parameter previous: the user whose library it may be, if not this one's.
    package static func adopt(
        _ location: StateLocation, rebuild: Bool = false, from previous: String? = nil
    ) async throws(Refusal) -> LibraryChange {
        var rebuilt: LibraryRebuild.Result?
        var done = try await change(location, takesAnyState: true) { place, store throws(Refusal) in
            let library = try LibraryOpening.adopt(place, store, from: previous)
            do {
                try await library.lock(user: place.user.text)
                // Files of an interrupted move aren't missing.
                let moves = try RecordedMoves(store: store, library: library).finish(try store.moves.recorded())
                if rebuild {
                    let work = LibraryRebuild(store: store, library: library)
                    let result = await Blocking.run { shouldStop in Result { try work.run(shouldStop: shouldStop) } }
                    rebuilt = try result.get()
                }
                try loseWhatIsMissing(store, library, besides: Set(moves.filter(\.isUnfinished).map(\.move.from)))
                try await ShardState(place).share(store, in: library)
            } catch {
                throw Refusal(any: error)
            }
        }
        if rebuilt?.isNewer == true {
            throw .run(.newerList(library: done.library, isUnused: true))
        }
        done.rebuilt = rebuilt.map { ($0.restored, $0.leftOut) }
        return done
    }

    /// The user has declared this folder to be the library: files missing in it are lost, however many.
    private static func loseWhatIsMissing(
        _ store: DownloadStore, _ library: LibraryFolder, besides unmoved: Set<String>
    ) throws {
        let listing = LibraryFileIndex(of: library)
        var lost: [DownloadChange] = []
        try store.downloads.scan { row in
            guard row.state == .finished, let path = row.string(.path), !unmoved.contains(path),
                (try? listing.contains(path)) == false
            else { return }
            lost.append(.lose(row.id))
        }
        try store.write(lost)
    }

    private static func change(
        _ location: StateLocation, takesAnyState: Bool = false,
        _ body: (StateLocation.Place, DownloadStore) async throws(Refusal) -> Void
    ) async throws(Refusal) -> LibraryChange {
        let place = try location.resolve()
        let (lock, store) = try await place.openForWriting(for: [], takesAnyState: takesAnyState)
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        do {
            let previous = try LibraryOpening.recordedPath(store)
            let library = try place.library(in: store).path.string
            try await body(place, store)
            var files = 0
            try store.downloads.scan { row in files += row.state == .finished ? 1 : 0 }
            return LibraryChange(library: library, previous: previous == library ? nil : previous, files: files)
        } catch {
            throw Refusal(any: error)
        }
    }
}
