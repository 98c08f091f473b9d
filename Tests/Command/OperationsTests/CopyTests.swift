import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import LibraryFixture
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary
@testable import Operations
@testable import RunAccess

@Suite("Copies of a library")
struct CopyTests {
    let temporary = TemporaryFolder()

    /// A library with finished videos of these paths and contents.
    private func filled(_ files: [(path: String, content: String)]) throws -> CopySource {
        let store = try DownloadStore.empty()
        let library = try LibraryFolder.testing(temporary.at("library"))
        var changes = ReconcileChanges()
        changes.courses = [CourseRecord(id: "c", file: "/c.yaml", ordinal: 0, title: "Course", folder: "Course")]
        for (index, file) in files.enumerated() {
            let fields = CatalogFields(
                chapter: nil, title: "T\(index)", position: index + 1, ordinal: Int64(index), provider: "p",
                source: SourceDigest([UInt8(index)]), priority: 0, extras: nil,
                stem: String(file.path.dropLast(4)), expectedSize: nil, expectedSHA256: nil, number: index + 1,
                numberInCourse: index + 1)
            let id = DownloadID(rawValue: Int64(index + 1))
            changes.new.append(.init(id: id, key: DownloadKey(course: "c", video: "v\(index)"), fields: fields))
        }
        try store.catalogs.apply(changes)
        for (index, file) in files.enumerated() {
            try temporary.write(file.content, to: "library/" + file.path)
            let hashed = try #require(try library.files.hash(file.path))
            let id = DownloadID(rawValue: Int64(index + 1))
            let stored = StoredFile(
                path: file.path, size: hashed.facts.size, modified: hashed.facts.modified, sha256: hashed.sha256,
                source: SourceDigest([UInt8(index)]))
            try store.write([.begin(id), .placing(id, stored), .finish(id)])
        }
        return try CopySource(store, library, Selection())
    }

    private func copied(
        _ source: CopySource, largest: Int64? = nil, verifies: Bool = true
    ) throws -> LibraryCopy {
        let copy = try LibraryFolder.openCopy(
            temporary.at("copy"), of: source.library.id, owner: .current(user: "alice"))
        let target = try CopyTarget(copy)
        let plan = try CopyPlan([source], target, largest: largest) { false }
        var wish = CopyWish(selectors: [], folder: "")
        wish.verifies = verifies
        let work = CopyWork(
            sources: [source], target: target, plan: plan, wish: wish, isPartial: false, shouldStop: { false },
            observe: { _ in })
        return try work.run(folder: copy.root.string)
    }

    @Test(
        "the copy has the files, a page and their checksums, and a state can be rebuilt from its list",
        arguments: [true, false])
    func whole(verifies: Bool) throws {
        let source = try filled([("Course/01 A.mp4", "bytes of a"), ("Course/02 B.mp4", "bytes of b")])
        let done = try copied(source, verifies: verifies)
        #expect((done.copied, done.present, done.problems) == (2, 0, []))
        #expect(temporary.read("copy/Course/01 A.mp4") == "bytes of a")
        #expect(temporary.read("copy/Course/index.html")?.contains("T1") == true)
        let sums = temporary.read("copy/SHA256SUMS")?.split(separator: "\n").map { String($0.dropFirst(66)) }
        #expect(sums == ["Course/01 A.mp4", "Course/02 B.mp4", "Course/index.html"])
        let again = try copied(source)
        #expect((again.copied, again.present, again.progress.allBytes) == (0, 2, 0))

        let store = try DownloadStore.empty()
        let copy = try LibraryFolder.adopt(temporary.at("copy"), as: .random(), owner: .current(user: "bob"))
        #expect(try LibraryRebuild(store: store, library: copy).run() == LibraryRebuild.Result(restored: 2))
        #expect(try store.metadata.files().map(\.path) == ["Course/index.html"])
        #expect(throws: LibraryError.self) { try copied(source) }
    }

    @Test("files beyond the largest of the file system are left out, and told before any is copied")
    func tooLarge() throws {
        let source = try filled([("Course/01 A.mp4", "bytes of a"), ("Course/02 B.mp4", "more than eleven bytes")])
        let done = try copied(source, largest: 11)
        #expect(done.problems.map(\.kind) == [.tooLarge] && done.problems[0].path == "Course/02 B.mp4")
        #expect((done.copied, done.progress.allBytes, done.conditions) == (1, 10, [.damageFound]))
        #expect(!temporary.has("copy/Course/02 B.mp4"))
    }

    @Test("a new version takes the old one's place; what somebody changed in the copy stays")
    func versions() throws {
        let source = try filled([("Course/01 A.mp4", "bytes of a"), ("Course/02 B.mp4", "bytes of b")])
        _ = try copied(source)
        try temporary.write("bytes of A", to: "library/Course/01 A.mp4")
        let hashed = try #require(try source.library.files.hash("Course/01 A.mp4"))
        let file = StoredFile(
            path: "Course/01 A.mp4", size: hashed.facts.size, modified: hashed.facts.modified, sha256: hashed.sha256,
            source: SourceDigest([0]))
        let id = DownloadID(rawValue: 1)
        try source.store.write([.lose(id), .begin(id), .placing(id, file), .finish(id)])
        #expect(try copied(source).updated == 1)
        #expect(temporary.read("copy/Course/01 A.mp4") == "bytes of A")
        try temporary.write("mine, mine", to: "copy/Course/02 B.mp4")
        let done = try copied(source)
        #expect(done.problems.map(\.kind) == [.inTheWay])
        #expect(temporary.read("copy/Course/02 B.mp4") == "mine, mine")
    }

    @Test("names that are one after cleaning are told apart by the ids, and a known one keeps its name")
    func names() {
        func key(_ video: String) -> FileListKey {
            FileListKey(VideoReference(course: "c", chapter: nil, video: video, title: ""))
        }
        var names = CopyNames(cleans: true)
        names.insert(["C/What_.mp4"], of: key("b"))
        #expect(names.path(for: "C/What?.mp4", of: key("a"), id: "a") == "C/What_ [a].mp4")
        #expect(names.path(for: "C/What_.mp4", of: key("b"), id: "b") == "C/What_.mp4")
        #expect(names.path(for: "D:/con.mp4", of: key("a"), id: "a") == "D_/con_.mp4")
        var kept = CopyNames(cleans: false)
        #expect(kept.path(for: "C/What?.mp4", of: key("a"), id: "a") == "C/What?.mp4")
        #expect(kept.path(for: "c/WHAT?.mp4", of: key("b"), id: "b") == "c/WHAT? [b].mp4")
    }

    @Test("checksums are written as sha256sum writes them, and times as FAT keeps them")
    func checksums() {
        var entry = FileListEntry(course: "c", title: "")
        (entry.path, entry.size, entry.sha256) = ("C/a\\b\n.mp4", 1, String(repeating: "ab", count: 32))
        #expect(
            CopiedChecksums.text([entry]) == "\\" + String(repeating: "ab", count: 32) + "  C/a\\\\b\\n.mp4\n")
        #expect(PlannedFile.kept(3_999_999_999) == 2_000_000_000)
        #expect(PlannedFile.kept(4_000_000_000) == 4_000_000_000)
        #expect(PlannedFile.kept(-1) == -2_000_000_000)
    }
}
