import DownloadStore
import FileSystem
import Foundation
import LibraryFixture
import TestSupport
import Testing

@testable import FilePlacement
@testable import MediaLibrary

@Suite("placing files")
struct PlacerTests {
    let temporary = TemporaryFolder()

    @Test("sidecars of a video that was removed in the meantime are never placed; those of others are")
    func removedMeanwhile() throws {
        let library = try LibraryFolder.testing(temporary.at("library"))
        let store = try DownloadStore.empty()
        var changes = ReconcileChanges()
        for number: Int64 in 1...2 {
            let fields = CatalogFields(
                chapter: nil, title: "T", position: Int(number), ordinal: number, provider: "p",
                source: SourceDigest([1]), priority: 0, extras: nil, stem: "Course/\(number)", expectedSize: nil,
                expectedSHA256: nil)
            changes.new.append(
                .init(
                    id: DownloadID(rawValue: number), key: DownloadKey(course: "c", video: "\(number)"), fields: fields)
            )
        }
        try store.catalogs.apply(changes)
        let group = try (1...2).map { (number: Int64) in
            ArrivedFile(
                role: .sidecar(DownloadID(rawValue: number), .attachment, name: "Slides"), sidecar: Int(number),
                partialName: try library.write("slides", to: number), size: 6, path: "Course/\(number) Slides.pdf",
                id: "\(number)")
        }
        try store.write([.steer(DownloadID(rawValue: 1), .remove)])
        var failures: [PlacingFailure] = []
        let placed = Placer(store: store, library: library).place(
            group,
            write: { changes in
                do {
                    try store.write(changes)
                    return true
                } catch { return false }
            }, failed: { failures.append($1) })
        #expect(placed?.map(\.stored.path) == ["Course/2 Slides.pdf"])
        #expect(failures == [.unwanted])
        #expect(try library.files.facts(of: "Course/1 Slides.pdf") == nil)
        let files = try store.sidecars.files(of: [1, 2].map(DownloadID.init(rawValue:)))
        #expect(files.map(\.path) == ["Course/2 Slides.pdf"])
    }
}
