import DownloadStore
import FileSystem
import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import FilePlacement
@testable import MediaLibrary
@testable import MediaTransfer

@Suite("taking over what a killed process had written")
struct UnflushedBytesTests {
    let temporary = TemporaryFolder()

    /// A library, and the state of a course with a video.
    private func empty() throws -> (library: LibraryFolder, store: DownloadStore) {
        let store = try DownloadStore.empty()
        var changes = ReconcileChanges()
        let fields = CatalogFields(
            chapter: nil, title: "T", position: 1, ordinal: 0, provider: "p", source: SourceDigest([1]), priority: 0,
            extras: nil, stem: "a/x", expectedSize: nil, expectedSHA256: nil)
        changes.new = [
            .init(id: DownloadID(rawValue: 1), key: DownloadKey(course: "a", video: "x"), fields: fields)
        ]
        try store.catalogs.apply(changes)
        return (try LibraryFolder.testing(temporary.at("library")), store)
    }

    @Test("bytes that a killed run had written and not flushed are taken over where the partial has them")
    func unflushed() throws {
        let record = try #require(UnflushedRecord(path: temporary.at("unflushed").string))
        let facts = ProgressFacts(
            bytes: 0, total: 2_000_000, validators: Validators(etag: "\"1\"", lastModified: "then"),
            mediaType: "video/mp4")
        func world(
            source: SourceDigest = [1], _ change: (DownloadStore, OpenPartial) throws -> Void = { _, _ in }
        ) throws -> (DownloadRecord?, [UnflushedBytes]) {
            let (library, store) = try empty()
            let identity = try #require(BytesIdentity(source: source, facts).bytes)
            let id = DownloadID(rawValue: 1)
            try store.write([.begin(id)])
            let open = try library.partials.open(PartialName(download: 1))
            let partial = try PartialFile(
                descriptor: open.release(), length: 0, hashes: false,
                unflushed: .init(record, download: 1) { identity })
            let bytes = [UInt8](repeating: 9, count: 1_000_000)
            try bytes.withUnsafeBytes { try partial.append($0) }
            let written = UnflushedRecord.bytes(at: temporary.at("unflushed").string)
            try change(store, open)
            try CrashRecovery(store: store, library: library, unflushed: written).run(at: Date())
            defer { try? library.partials.remove(PartialName(download: 1)) }
            return (try store.downloads.record(id), written)
        }
        let (row, written) = try world()
        #expect(written.count == 1 && row?.durableBytes == 1_000_000 && row?.totalBytes == 2_000_000)
        #expect(row?.validators == facts.validators && row?.mediaType == "video/mp4" && row?.state == .waiting)
        #expect(try world(source: [2]).0?.durableBytes == 0, "another source may have other bytes under the same tag")
        let one = DownloadID(rawValue: 1)
        let others: [(String, (DownloadStore, OpenPartial) throws -> Void)] = [
            ("another byte", { try $1.write([1]) }), ("a shorter one", { try $1.truncate(to: 999_999) }),
            ("cancelled", { store, _ in try store.write([.steer(one, .cancel)]) }),
            (
                "started over",
                { store, _ in try store.write([.startOver(one, validatorFailures: 2, startOvers: 3)]) }
            ),
            ("of another kind", { store, _ in try store.write([.kind(one, DownloadKind(rawValue: "hls"))]) }),
            (
                "another file",
                { [temporary] _, _ in
                    let path = temporary.at("library/.coursefetch/partials/1.part").string
                    try FileManager.default.moveItem(atPath: path, toPath: temporary.at("away").string)
                    try FileManager.default.copyItem(atPath: temporary.at("away").string, toPath: path)
                    try FileManager.default.removeItem(atPath: temporary.at("away").string)
                }
            ),
        ]
        for (what, change) in others {
            let row = try world(change).0
            #expect(row?.durableBytes == 0, "\(what)")
        }
        let known = ProgressFacts(bytes: 500_000, total: 2_000_000, validators: Validators(etag: "\"0\""))
        let (kept, _) = try world { store, _ in try store.write([.progress(one, known)]) }
        #expect(kept?.durableBytes == 1_000_000 && kept?.validators == known.validators, "the row's own proof stays")
    }
}
