package import DownloadRunner
import DownloadStore
import Foundation
package import SyncFacts

/// The result of `forget`.
package struct ForgottenCatalog: Sendable, Equatable {
    /// The file, absolute; for an address its name in the state.
    package var file: String
    /// Their ids.
    package var courses: [String]
    /// Their number.
    package var downloads: Int

    package init(file: String, courses: [String], downloads: Int) {
        self.file = file
        self.courses = courses
        self.downloads = downloads
    }

    /// Marks the courses of a catalog file as gone: their files stay until a `--prune`. The file itself needn't exist.
    package static func forget(_ file: String, at location: StateLocation) async throws(Refusal) -> ForgottenCatalog {
        let place = try location.resolve()
        let path = CatalogAddress(file).identity ?? URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        try place.requireKnown()
        guard place.hasState else { throw .catalog(.noCourses(file: path, known: [])) }
        let (lock, store) = try await place.openForWriting(for: [])
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        do {
            let known = try store.catalogs.courses()
            let courses = known.values.filter { $0.file == path }.sorted { $0.ordinal < $1.ordinal }.map(\.id)
            guard !courses.isEmpty else {
                let files = Set(known.values.map(\.file)).sorted()
                throw Refusal.catalog(.noCourses(file: path, known: files))
            }
            return ForgottenCatalog(file: path, courses: courses, downloads: try store.catalogs.forget(file: path))
        } catch {
            throw Refusal(any: error)
        }
    }
}
