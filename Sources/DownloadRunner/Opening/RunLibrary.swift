import DownloadStore
import FileSystem
import MediaLibrary
import SyncFacts
import Synchronization
import SystemPackage
import UserState

/// The library of a run: opened anew and locked for each pass, and let go between two, so that its disk can be unmounted
/// and others can write in it.
///
/// What is open keeps leading to the folders that it was opened as, wherever somebody moves them meanwhile.
final class RunLibrary: Sendable {
    private let place: StateLocation.Place
    private let store: DownloadStore
    private let current = Mutex<LibraryFolder?>(nil)

    init(_ place: StateLocation.Place, _ store: DownloadStore) {
        self.place = place
        self.store = store
    }

    /// Opens it, as the one that the state knows, until ``close()``. While another process writes in it this waits, for half
    /// a second at least, and for `wait` if that is more; `waiting` hears of it once.
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

    /// Lets it go.
    func close() {
        current.withLock { library in
            library?.unlock()
            library = nil
        }
    }

    /// Calls `body` with the one that is open, or with one that is opened for the moment.
    func use<T>(_ body: (LibraryFolder) async throws -> T) async throws -> T {
        if let library = current.withLock({ $0 }) { return try await body(library) }
        let library = try LibraryOpening.open(place, store)
        try await library.lock(user: place.user.text)
        defer { library.unlock() }
        return try await body(library)
    }

    /// Whether the folder bears the mark of the library that the state knows. Opens nothing for longer.
    var isThere: Bool {
        guard let id = try? LibraryOpening.recordedID(store), let path = try? place.library(in: store).path else {
            return false
        }
        return (try? LibraryFolder.marker(of: path))?.id == id.rawValue
    }

    /// Whether it is there, and no other process writes in it.
    var isFree: Bool {
        guard isThere else { return false }
        do { return try LibraryFolder.isInUse(place.library(in: store).path) == nil } catch { return false }
    }
}
