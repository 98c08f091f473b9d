import DownloadStore
import FileSystem
import MediaLibrary
import RunAccess
import SyncFacts
import Synchronization
import SystemPackage
import UserState

/// The library of a run: opened again and locked for each pass, and closed between passes, so that its disk can be
/// unmounted and others can write to it.
///
/// Open folders stay the same ones, wherever somebody moves them in the meantime.
final class RunLibrary: Sendable {
    private let place: StateLocation.Place
    private let store: DownloadStore
    private let current = Mutex<LibraryFolder?>(nil)

    init(_ place: StateLocation.Place, _ store: DownloadStore) {
        self.place = place
        self.store = store
    }

    /// Opens the library recorded in the state, until ``close()``. While another process writes to it this waits, for
    /// at least half a second, and for `wait` if that is longer; `waiting` is called once.
    func open(
        for catalogs: [String], wait: Duration = .zero, waiting: (LockHolder?) -> Void = { _ in }
    ) async throws(Refusal) -> LibraryFolder {
        close()
        let library = try LibraryOpening.open(place, store)
        do throws(LibraryError) {
            try await library.lock(user: place.user.text, catalogs: catalogs, wait: wait, waiting: waiting)
        } catch {
            throw Refusal(error)
        }
        current.withLock { $0 = library }
        return library
    }

    func close() {
        current.withLock { library in
            library?.unlock()
            library = nil
        }
    }

    /// Calls `body` with the open library, or with one that is opened temporarily.
    func use<T>(_ body: (LibraryFolder) async throws -> T) async throws -> T {
        if let library = current.withLock({ $0 }) { return try await body(library) }
        let library = try LibraryOpening.open(place, store)
        try await library.lock(user: place.user.text)
        defer { library.unlock() }
        return try await body(library)
    }

    /// Whether the folder has the marker of the state's library. Opens it only temporarily.
    var isThere: Bool {
        guard let id = try? LibraryOpening.recordedID(store), let path = try? place.library(in: store).path else {
            return false
        }
        return (try? LibraryFolder.marker(of: path))?.id == id.rawValue
    }

    /// Whether it exists, and no other process writes to it.
    var isFree: Bool {
        guard isThere else { return false }
        do {
            return try LibraryFolder.isInUse(place.library(in: store).path, part: place.libraryPart) == nil
        } catch { return false }
    }
}
