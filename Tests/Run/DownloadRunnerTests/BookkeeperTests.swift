import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import TestSupport
import Testing

@testable import DownloadJobs

@Suite("the bookkeeper")
struct BookkeeperTests {
    private let user: UserFixture
    private let bookkeeper: Bookkeeper
    private let video: DownloadID
    private let subtitle = SidecarName(.subtitle, "en")

    init() throws {
        user = try UserFixture()
        let library = try LibraryFolder.open(
            user.temporary.at("library"), expecting: .new(LibraryID(rawValue: "test")),
            owner: LibraryOwner(user: "alice", host: "here"))
        bookkeeper = Bookkeeper(store: user.store, library: library)
        video = DownloadID(rawValue: try user.store.downloads.nextID())
        var changes = ReconcileChanges()
        changes.courses = [CourseRecord(id: "c", file: "/c.yaml", ordinal: 0, title: "C", folder: "C")]
        changes.new = [
            .init(
                id: video, key: DownloadKey(course: "c", video: "v"),
                fields: CatalogFields(
                    chapter: nil, title: "T", position: 1, ordinal: 1, provider: "p", source: [1], priority: 0,
                    extras: nil, stem: "C/01 T", expectedSize: nil, expectedSHA256: nil))
        ]
        try user.store.catalogs.apply(changes)
    }

    @Test("what was noted before a failed write is written with the next one, before it")
    func keptJournal() async throws {
        bookkeeper.note(.sidecar(.named(video, [subtitle])))
        let stranger = SidecarRecord(
            download: DownloadID(rawValue: 999), kind: .subtitle, name: "en", path: "C/x.vtt", size: 1, modified: 1)
        #expect(await !bookkeeper.commit(.sidecar(.stored(stranger))))
        #expect(try user.store.sidecars.open().isEmpty)
        // The run ends because of it; what follows is the end of its downloads.
        let file = StoredFile(path: "C/01 T.mp4", size: 9, modified: 7, sha256: [1, 2], source: [1])
        #expect(await !bookkeeper.commit([.begin(video), .placing(video, file), .finish(video)]))
        #expect(try user.store.sidecars.open().map(\.name) == [subtitle])
        #expect(await bookkeeper.stop().count == 1)
    }
}
