import DownloadStore
import FileSystem
import Foundation
import LibraryFixture
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import FilePlacement
@testable import MediaLibrary
@testable import Operations
@testable import RunAccess

@Suite("the list of files in the library")
struct FileListTests {
    let temporary = TemporaryFolder()
    private let path = "library/.coursefetch/files.jsonl"

    /// A state with three finished videos whose files are there, and what it says of them in the list.
    private func filled(of part: LibraryPart? = nil, unfinished: Int = 0) throws -> (DownloadStore, LibraryFolder) {
        let store = try DownloadStore.empty()
        let library = try LibraryFolder.testing(temporary.at("library"), part: part)
        var changes = ReconcileChanges()
        changes.courses = [CourseRecord(id: "c", file: "/c.yaml", ordinal: 0, title: "Course", folder: "Course")]
        for number in 1...(3 + unfinished) {
            let fields = CatalogFields(
                chapter: nil, title: "T\(number)", position: number, ordinal: Int64(number), provider: "p",
                source: SourceDigest([UInt8(number)]), priority: 0, extras: nil, stem: "Course/0\(number) T",
                expectedSize: nil,
                expectedSHA256: nil)
            let id = DownloadID(rawValue: Int64(number))
            changes.new.append(.init(id: id, key: DownloadKey(course: "c", video: "\(number)"), fields: fields))
        }
        try store.catalogs.apply(changes)
        for number in 1...3 { try finish(number, store, library) }
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: false)
        keeper.end()
        #expect(keeper.failure == nil)
        return (store, library)
    }

    @discardableResult
    private func finish(_ number: Int, _ store: DownloadStore, _ library: LibraryFolder) throws -> DownloadID {
        let id = DownloadID(rawValue: Int64(number))
        try store.write([.begin(id), .placing(id, try stored(number, in: library)), .finish(id)])
        return id
    }

    private func stored(_ number: Int, in library: LibraryFolder) throws -> StoredFile {
        let path = "Course/0\(number) T.mp4"
        try temporary.write("bytes of \(number)", to: "library/" + path)
        let hashed = try #require(try library.files.hash(path))
        return StoredFile(
            path: path, size: hashed.facts.size, modified: hashed.facts.modified, sha256: hashed.sha256,
            source: SourceDigest([UInt8(number)]))
    }

    private func rebuilt(_ library: LibraryFolder) throws -> (LibraryRebuild.Result, [String: DownloadRecord]) {
        let store = try DownloadStore.empty()
        let result = try LibraryRebuild(store: store, library: library).run()
        var rows: [String: DownloadRecord] = [:]
        try store.downloads.each { rows[$0.key.video] = $0 }
        return (result, rows)
    }

    @Test("an empty state learns all files again, each as it was recorded")
    func rebuild() throws {
        let (store, library) = try filled()
        let (result, rows) = try rebuilt(library)
        #expect(result == .init(restored: 3, leftOut: 0))
        for number in 1...3 {
            let before = try #require(try store.downloads.record(DownloadID(rawValue: Int64(number))))
            let row = try #require(rows["\(number)"])
            #expect(row.file == before.file && row.state == .finished && row.catalog.stem == before.catalog.stem)
        }
        #expect(temporary.read(path)?.contains("http") == false)
    }

    @Test(
        "a course or chapter that was removed since its line was written stays away; one with a video, a folder or a cover comes back"
    )
    func removedFolders() throws {
        let (_, library) = try filled()
        try temporary.make("library/Empty")
        try temporary.write("cover", to: "library/covers/a.jpg")
        let cover = try #require(try library.files.facts(of: "covers/a.jpg"))
        let covered = #","path":"covers/a.jpg","size":\#(cover.size),"modified":\#(cover.modified)}"#
        let lines = [
            #"{"course":"gone","title":"Gone","folder":"Gone"}"#,
            #"{"course":"gone","chapter":"k","title":"K","folder":"Gone/K","season":1}"#,
            #"{"course":"c","chapter":"k","title":"K","folder":"Course/K","season":1}"#,
            #"{"course":"empty","title":"Empty","folder":"Empty"}"#,
            #"{"course":"covered","title":"Covered","folder":"Covered""# + covered,
        ]
        let list = try #require(temporary.read(path))
        try temporary.write(list + lines.joined(separator: "\n") + "\n", to: path)
        let store = try DownloadStore.empty()
        let result = try LibraryRebuild(store: store, library: library).run()
        #expect(result == .init(restored: 3, leftOut: 0))
        #expect(try Set(store.catalogs.courses().keys) == ["c", "empty", "covered"])
        #expect(try store.catalogs.chapters().isEmpty)
    }

    @Test("sidecars of a rebuilt video are asked for once, unless the list says that none is missing")
    func unasked() throws {
        let (store, library) = try filled()
        let id = { DownloadID(rawValue: $0) }
        let slides = SidecarName(.attachment, "Slides")
        let changes: [DownloadChange] = [
            .sidecar(.named(id(1), [slides])),
            .sidecar(.named(id(2), [slides])),
            .sidecar(.failed(id(2), slides, DownloadError(kind: .notFound, message: "gone"), retryAt: nil)),
        ]
        try store.write(changes)
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: true)
        keeper.note(changes)
        keeper.end()
        let rebuilt = try DownloadStore.empty()
        #expect(try LibraryRebuild(store: rebuilt, library: library).run().restored == 3)
        let open = try rebuilt.sidecars.open()
        #expect(open.map(\.name) == [SidecarName(.unasked, "")] && open.map(\.state) == [.wanted])
        #expect(try open.map { try rebuilt.downloads.record($0.download)?.key.video } == ["1"])
        // A list of before says nothing of it.
        let list = try #require(temporary.read(path)).replacing(#/"complete":(true|false),?/#, with: "")
        try temporary.write(list, to: path)
        let older = try DownloadStore.empty()
        #expect(try LibraryRebuild(store: older, library: library).run().restored == 3)
        #expect(try older.sidecars.open().map(\.name.kind) == [.unasked, .unasked, .unasked])
    }

    @Test("changes are appended, also after a line torn by a kill, and the last line counts")
    func appended() throws {
        let (store, library) = try filled()
        let torn = try #require(temporary.read(path)) + #"{"course":"c","vid"#
        try temporary.write(torn, to: path)
        try store.facts.set("file_list", "test \(torn.utf8.count) 4")
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: true)
        // Another file in its place.
        try store.write([.refetch(DownloadID(rawValue: 2))])
        try temporary.write("others", to: "library/Course/02 new.mp4")
        let facts = try #require(try library.files.facts(of: "Course/02 new.mp4"))
        let file = StoredFile(path: "Course/02 new.mp4", size: 6, modified: facts.modified, sha256: nil, source: [9])
        let changes: [DownloadChange] = [
            .begin(DownloadID(rawValue: 2)), .placing(DownloadID(rawValue: 2), file), .finish(DownloadID(rawValue: 2)),
        ]
        try store.write(changes)
        keeper.note(changes)
        keeper.end()
        #expect(keeper.failure == nil)
        #expect(temporary.read(path)?.hasPrefix(torn + "\n{") == true, "nothing was written over")
        let (result, rows) = try rebuilt(library)
        #expect(result == .init(restored: 3, leftOut: 1) && rows["2"]?.file?.path == "Course/02 new.mp4")
    }

    @Test(
        "a shard's file is in the list before it has its name; a replaced one, and one with parts, isn't",
        arguments: [LibraryPart(name: "1-of-2", count: 2), nil])
    func announced(part: LibraryPart?) throws {
        let (store, library) = try filled(of: part, unfinished: 2)
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: true)
        let id = { DownloadID(rawValue: $0) }
        let replaced = try stored(6, in: library)
        let slides = SidecarRecord(download: id(5), kind: .stream, name: "slides", path: "s.mp4", size: 1, modified: 1)
        let changes: [DownloadChange] = [
            .refetch(id(2)), .begin(id(2)), .placing(id(2), replaced), .begin(id(4)),
            .placing(id(4), try stored(4, in: library)), .begin(id(5)), .placing(id(5), try stored(5, in: library)),
            .placingPart(PartRecord(file: slides, partial: "slides", sha256: nil)),
        ]
        try store.write(changes)
        keeper.note(changes)
        #expect(keeper.failure == nil)
        // A kill: nothing is written any more.
        let (result, rows) = try rebuilt(library)
        #expect(result == .init(restored: part == nil ? 3 : 4, leftOut: 0))
        #expect(rows["4"]?.file?.path == (part == nil ? nil : "Course/04 T.mp4"))
        #expect(rows["2"]?.file?.path == "Course/02 T.mp4" && rows["5"] == nil)
    }

    @Test(
        "a list whose length differs from the state's record is written again, and keeps entries of existing files that only it has"
    )
    func rewritten() throws {
        let (store, library) = try filled()
        // The state is put back to a time when it knew one video.
        let older = try DownloadStore.empty()
        var changes = ReconcileChanges()
        changes.courses = Array(try store.catalogs.courses().values)
        try older.catalogs.apply(changes)
        try FileManager.default.removeItem(atPath: temporary.at("library/Course/03 T.mp4").string)
        let keeper = FileListUpdater(store: older, library: library)
        keeper.begin(isGoingToChange: false)
        #expect(keeper.failure == nil)
        let (result, rows) = try rebuilt(library)
        #expect(result == .init(restored: 2, leftOut: 0) && Set(rows.keys) == ["1", "2"])
        // Nothing is written when nothing has changed.
        let before =
            try FileManager.default.attributesOfItem(atPath: temporary.at(path).string)[.modificationDate] as? Date
        let next = FileListUpdater(store: older, library: library)
        next.begin(isGoingToChange: false)
        next.end()
        let after =
            try FileManager.default.attributesOfItem(atPath: temporary.at(path).string)[.modificationDate] as? Date
        #expect(before == after)
    }

    @Test("a list that can't be written is reported, and stops nothing; the next pass writes it again")
    func unkept() throws {
        let (store, library) = try filled()
        let known = try #require(try store.facts.value("file_list"))
        let text = try #require(temporary.read(path))
        try temporary.remove(path)
        try FileManager.default.createDirectory(atPath: temporary.at(path).string, withIntermediateDirectories: false)
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: true)
        keeper.note([.finish(DownloadID(rawValue: 1))])
        keeper.flush()
        keeper.end()
        #expect(keeper.failure != nil)
        #expect(try store.facts.value("file_list") != known, "lines may be missing")
        try temporary.remove(path)
        try temporary.write(text, to: path)
        let next = FileListUpdater(store: store, library: library)
        next.begin(isGoingToChange: false)
        next.end()
        #expect(next.failure == nil)
        #expect(try rebuilt(library).0 == .init(restored: 3, leftOut: 0))
    }

    @Test(
        "a line that contradicts its file is ignored",
        arguments: [
            (#""size":10,"#, #""size":11,"#), (#""size":10,"#, #""size":-1,"#), (#""size":10,"#, ""),
            (#""path":"Course/01 T.mp4""#, #""path":"Course/99.mp4""#),
            (#""path":"Course/01 T.mp4""#, #""path":"../secret""#),
            (#""path":"Course/01 T.mp4""#, #""path":"/etc/passwd""#),
            (#""path":"Course/01 T.mp4""#, #""path":".coursefetch/library.json""#),
            (#""path":"Course/01 T.mp4""#, #""path":"link/secret""#),
            (#""path":"Course/01 T.mp4""#, #""path":"Course""#), (#""path":"Course/01 T.mp4""#, #""path":"""#),
            (#""stem":"Course/01 T""#, #""stem":"../../x""#), (#""video":"1""#, #""video":"""#),
            (#""source":"01""#, #""source":"0""#), (#""title":"T1""#, #""title":7"#),
        ])
    func liar(_ truth: String, _ lie: String) throws {
        let (_, library) = try filled()
        try temporary.write("bytes of 1", to: "secret")
        try temporary.link("library/link", to: temporary.path.string)
        let text = try #require(temporary.read(path))
        var lines = text.split(separator: "\n").map(String.init)
        let index = try #require(lines.firstIndex { $0.contains(#""video":"1""#) })
        #expect(lines[index].contains(truth), "\(lines[index])")
        lines[index] = lines[index].replacing(truth, with: lie)
        try temporary.write(lines.joined(separator: "\n") + "\n", to: path)
        let (result, rows) = try rebuilt(library)
        #expect(result.restored == 2 && result.leftOut == 1)
        #expect(Set(rows.keys) == ["2", "3"])
    }

    @Test("with another time the content decides, and without a SHA-256 nothing does")
    func times() throws {
        let (_, library) = try filled()
        for name in ["01", "02", "03"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)],
                ofItemAtPath: temporary.at("library/Course/\(name) T.mp4").string)
        }
        #expect(try rebuilt(library).0 == .init(restored: 3, leftOut: 0))
        try temporary.write("bytes of X", to: "library/Course/01 T.mp4")
        #expect(try rebuilt(library).0 == .init(restored: 2, leftOut: 1))
        let text = try #require(temporary.read(path)).replacing(/"sha256":"[0-9a-f]*",/, with: "")
        try temporary.write(text, to: path)
        #expect(try rebuilt(library).0 == .init(restored: 0, leftOut: 3))
    }

    @Test("of two lines for one file the newer one counts")
    func claimed() throws {
        let (_, library) = try filled()
        let text = try #require(temporary.read(path))
        let line = try #require(text.split(separator: "\n").first { $0.contains(#""video":"1""#) })
        try temporary.write(text + line.replacing(#""video":"1""#, with: #""video":"other""#) + "\n", to: path)
        let (result, rows) = try rebuilt(library)
        #expect(result == .init(restored: 3, leftOut: 1) && Set(rows.keys) == ["other", "2", "3"])
    }

    @Test(
        "a list of another version is not read, and does no harm",
        arguments: [
            "", "\n", "{}\n", "\u{0}\u{1}", String(repeating: "x", count: 600_000),
            String(repeating: "[", count: 90_000) + "\n",
            #"{"list":"coursefetch files","version":99}"# + "\n" + #"{"course":"c","title":"t"}"# + "\n",
        ])
    func other(_ text: String) throws {
        let (store, library) = try filled()
        try temporary.write(text, to: path)
        #expect(try rebuilt(library).0.restored == 0)
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: true)
        keeper.end()
        if text.contains("99") {
            #expect(keeper.failure == .run(.newerList(library: library.root.string, isUnused: false)))
            #expect(temporary.read(path) == text)
        } else {
            #expect(keeper.failure == nil)
            #expect(try rebuilt(library).0 == .init(restored: 3, leftOut: 0))
        }
    }

    @Test("a line that is too long, isn't JSON or is of another kind affects only itself")
    func damaged() throws {
        let (_, library) = try filled()
        let text = try #require(temporary.read(path))
        let long = #"{"course":"c","title":""# + String(repeating: "x", count: 700_000) + #""}"#
        try temporary.write(text + long + "\nnonsense\n[1]\n{\"later\":1}\n", to: path)
        #expect(try rebuilt(library).0 == .init(restored: 3, leftOut: 4))
    }

    @Test("a link or a folder in its place is never followed nor written to")
    func odd() throws {
        let (store, library) = try filled()
        try temporary.remove(path)
        try temporary.write("mine", to: "outside")
        try temporary.link(path, to: temporary.at("outside").string)
        let keeper = FileListUpdater(store: store, library: library)
        keeper.begin(isGoingToChange: true)
        #expect(keeper.failure != nil && temporary.read("outside") == "mine")
    }

    @Test("paused and cancelled rows stay so, and a file that is being downloaded again doesn't count as complete")
    func persons() throws {
        let (_, library) = try filled()
        let store = try DownloadStore.empty()
        var changes = ReconcileChanges()
        for number in 1...3 {
            let fields = CatalogFields(
                chapter: nil, title: "T", position: 1, ordinal: 1, provider: "p", source: [1], priority: 0, extras: nil,
                stem: "Course/0\(number) T", expectedSize: nil, expectedSHA256: nil)
            changes.new.append(
                .init(
                    id: DownloadID(rawValue: Int64(number)), key: DownloadKey(course: "c", video: "\(number)"),
                    fields: fields))
        }
        try store.catalogs.apply(changes)
        try store.write([.steer(DownloadID(rawValue: 1), .pause), .steer(DownloadID(rawValue: 2), .cancel)])
        #expect(try LibraryRebuild(store: store, library: library).run().restored == 1)
        var states: [String: DownloadState] = [:]
        try store.downloads.each { states[$0.key.video] = $0.state }
        #expect(states == ["1": .paused, "2": .cancelled, "3": .finished])
    }
}
