import CourseCatalog
package import DownloadStore
import Foundation

/// What a run depended on that found nothing to do, told nothing and left nothing. As long as no row changes and all of
/// it is the same, another such run would end in the same way.
package struct IdleNote: Sendable, Codable {
    /// The catalogs, and their SHA-256.
    var catalogs: CatalogTrace
    var catalogsDigest: [UInt8]
    /// The folders of the library that have files of the courses, and the SHA-256 of the names in them.
    var folders: [String]
    var libraryDigest: [UInt8]
    /// How many downloads of the catalogs are in which state.
    package var downloads: [DownloadState: Int]
    package var fromOtherSource: Int

    init?(_ data: Data) {
        guard let note = try? JSONDecoder().decode(IdleNote.self, from: data) else { return nil }
        self = note
    }

    init(
        catalogs: CatalogTrace, digest: [UInt8], folders: [String], libraryDigest: [UInt8],
        downloads: [DownloadState: Int], fromOtherSource: Int
    ) {
        self.catalogs = catalogs
        catalogsDigest = digest
        self.folders = folders
        self.libraryDigest = libraryDigest
        self.downloads = downloads
        self.fromOtherSource = fromOtherSource
    }

    var data: Data? { try? JSONEncoder().encode(self) }
}
