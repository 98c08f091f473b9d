import DownloadStore
import FileSystem
import Foundation
import SystemPackage
import TestSupport

/// A state file of a test's own.
struct StoreFixture {
    let folder = TemporaryFolder()
    var path: String { folder.at("state.sqlite").string }

    func open(_ role: StateRole = .holder) throws -> DownloadStore {
        try DownloadStore(path: path, role: role)
    }

    static func fields(_ title: String = "Title", source: SourceDigest = [1], position: Int = 1) -> CatalogFields {
        CatalogFields(
            chapter: nil, title: title, position: position, ordinal: Int64(position), provider: "direct",
            source: source, priority: 0, extras: nil, stem: "Course/0\(position) \(title)", expectedSize: nil,
            expectedSHA256: nil)
    }

    /// Adds waiting downloads v1, v2 … of the course `c`.
    static func add(_ count: Int, to store: DownloadStore) throws -> [DownloadID] {
        var changes = ReconcileChanges()
        let first = try store.downloads.nextID()
        let ids = (0..<count).map { DownloadID(rawValue: first + Int64($0)) }
        changes.courses = [CourseRecord(id: "c", file: "/c.yaml", ordinal: 0, title: "C", folder: "C")]
        changes.new = ids.enumerated().map { number, id in
            .init(
                id: id, key: DownloadKey(course: "c", video: "v\(number + 1)"), fields: fields(position: number + 1))
        }
        try store.catalogs.apply(changes)
        return ids
    }

    static let file = StoredFile(path: "C/01 T.mp4", size: 9, modified: 7, sha256: [1, 2], source: [1])
}
