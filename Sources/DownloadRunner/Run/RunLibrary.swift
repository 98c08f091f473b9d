import DownloadStore
import Synchronization
import SystemPackage

/// The library of a run: opened anew for each pass, and let go between two, so that its disk can be unmounted.
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

    /// Opens it, as the one that the state knows, until ``close()``.
    func open() throws(Refusal) -> LibraryFolder {
        close()
        let library = try LibraryOpening.open(place, store)
        current.withLock { $0 = library }
        return library
    }

    /// Lets it go.
    func close() { current.withLock { $0 = nil } }

    /// Calls `body` with the one that is open, or with one that is opened for the moment.
    func use<T>(_ body: (LibraryFolder) async throws -> T) async throws -> T {
        if let library = current.withLock({ $0 }) { return try await body(library) }
        return try await body(try LibraryOpening.open(place, store))
    }

    /// Whether the folder bears the mark of the library that the state knows. Opens nothing for longer.
    var isThere: Bool {
        guard let id = try? LibraryOpening.recordedID(store) else { return false }
        return (try? LibraryFolder.marker(of: place.library))?.id == id.rawValue
    }
}
