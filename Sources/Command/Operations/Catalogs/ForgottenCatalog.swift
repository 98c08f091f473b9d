import DownloadStore
import Foundation
package import RunAccess
package import SyncFacts

package struct ForgottenCatalog: Sendable, Equatable {
    /// The file, absolute; for an address its name in the state.
    package var file: String
    /// Their ids.
    package var courses: [String]
    package var downloads: Int
    /// How many of them have files.
    package var files: Int

    package init(file: String, courses: [String], downloads: Int, files: Int = 0) {
        self.files = files
        self.file = file
        self.courses = courses
        self.downloads = downloads
    }

    /// Marks the courses of a catalog file as gone: their files stay until a `--prune`. The file itself needn't exist.
    package static func forget(_ file: String, at location: StateLocation) async throws(Refusal) -> ForgottenCatalog {
        let place = try location.resolve()
        let address = CatalogAddress(file)
        var path = address.identity ?? URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        try place.requireKnown()
        guard place.hasState else { throw .catalog(.noCourses(file: path, known: [])) }
        let (lock, store) = try await place.openForWriting(for: [])
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        do {
            let known = try store.catalogs.courses()
            // As messages name it.
            if !file.isEmpty, known.values.contains(where: { $0.file == file }) { path = file }
            let courses = known.values.filter { $0.file == path }.sorted { $0.ordinal < $1.ordinal }.map(\.id)
            guard !courses.isEmpty else {
                let files = Set(known.values.map(\.file)).subtracting([""]).sorted()
                throw Refusal.catalog(.noCourses(file: path, known: files))
            }
            var files = 0
            try store.downloads.scan { row in
                if let course = row.string(.course), courses.contains(course), row.string(.path) != nil { files += 1 }
            }
            let downloads = try store.catalogs.forget(file: path)
            CatalogSources.removeCopy(of: address, state: location.state)
            try await ShardState(place).share(store)
            return ForgottenCatalog(file: path, courses: courses, downloads: downloads, files: files)
        } catch {
            throw Refusal(any: error)
        }
    }
}
