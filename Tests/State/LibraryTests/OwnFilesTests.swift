import Crypto
import FileSystem
import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary

@Suite("files that are provably ours")
struct OwnFilesTests {
    let temporary = TemporaryFolder()

    func library() throws -> LibraryFolder { try .testing(temporary.at("library")) }

    func sha256(_ text: String) -> Checksum { Checksum(SHA256.hash(data: Data(text.utf8))) }

    /// Places a file and returns what the state would record.
    func place(_ text: String, at path: String, in library: LibraryFolder, download: Int64 = 1) throws -> FileRecord {
        #expect(try library.placing.put(try library.write(text, to: download), at: path) == .placed)
        let facts = try #require(try library.files.facts(of: path))
        return FileRecord(size: facts.size, modified: facts.modified, sha256: sha256(text))
    }

    @Test("a file is hashed from its first byte to its last")
    func hashing() throws {
        let library = try library()
        let text = String(repeating: "0123456789abcdef", count: 200_000)
        let record = try place(text, at: "x", in: library)
        let hashed = try #require(try library.files.hash("x"))
        #expect(hashed.sha256 == record.sha256 && hashed.facts.size == 3_200_000 && hashed.isStable)
        #expect(try library.files.hash("nothing") == nil)
        #expect(try library.files.hash("no/thing") == nil)
        var asked = 0
        #expect(throws: LibraryError.stopped) {
            try library.files.hash("x") {
                asked += 1
                return asked == 3
            }
        }
    }

    struct ProofCase: Sendable {
        var size: Int64 = 3
        var sameTime = false
        var time: Bool = true
        var sha256: String?
        var isOurs: Bool
    }

    @Test(
        "size and time, else size and hash, prove a file; nothing else does",
        arguments: [
            ProofCase(sameTime: true, isOurs: true), ProofCase(sameTime: true, sha256: "wrong", isOurs: true),
            ProofCase(sha256: "right", isOurs: true), ProofCase(time: false, sha256: "right", isOurs: true),
            ProofCase(sha256: "wrong", isOurs: false), ProofCase(isOurs: false), ProofCase(time: false, isOurs: false),
            ProofCase(size: 4, sameTime: true, sha256: "right", isOurs: false),
        ])
    func proofs(_ one: ProofCase) throws {
        let library = try library()
        let true_ = try place("one", at: "A/x", in: library)
        let time = one.time ? (true_.modified ?? 0) + (one.sameTime ? 0 : 1) : nil
        let hash = one.sha256.flatMap { $0 == "right" ? Checksum(hex: sha256("one").hex.uppercased()) : sha256($0) }
        let record = FileRecord(size: one.size, modified: time, sha256: hash)
        let facts = try #require(try library.files.facts(of: "A/x"))
        #expect(try library.files.proves("A/x", is: record) == (one.isOurs ? .ours(facts) : .notOurs(facts)))
        #expect(try library.files.remove("A/x", record: record) == (one.isOurs ? .removed : .notOurs(facts)))
        #expect(temporary.files(under: "library") == (one.isOurs ? [:] : ["A/x": "one"]))
        #expect(temporary.has("library/A") == !one.isOurs)
    }

    @Test("removing a file removes empty folders, and no others")
    func emptyFolders() throws {
        let library = try library()
        let one = try place("one", at: "A/B/C/x", in: library)
        let two = try place("two", at: "A/B/D/y", in: library)
        #expect(try library.files.remove("A/B/C/x", record: one) == .removed)
        #expect(!temporary.has("library/A/B/C") && temporary.has("library/A/B/D"))
        try temporary.write("theirs", to: "library/A/note.txt")
        #expect(try library.files.remove("A/B/D/y", record: two) == .removed)
        #expect(temporary.files(under: "library") == ["A/note.txt": "theirs"])
        #expect(!temporary.has("library/A/B"))
        #expect(try library.files.remove("A/B/D/y", record: two) == .missing)
        #expect(temporary.has("library"))
    }

    @Test("a successor replaces its predecessor")
    func replacing() throws {
        let library = try library()
        let old = try place("old", at: "A/x", in: library)
        #expect(try library.placing.replace("A/x", with: try library.write("new", to: 2), record: old) == .replaced)
        #expect(temporary.files(under: "library") == ["A/x": "new"])
        #expect(try library.partials.all().isEmpty)
        // The old record doesn't prove the new file.
        let facts = try #require(try library.files.facts(of: "A/x"))
        let third = try library.write("third", to: 3)
        #expect(try library.placing.replace("A/x", with: third, record: old) == .notOurs(facts))
        #expect(temporary.files(under: "library") == ["A/x": "new"])
        #expect(try library.partials.facts(of: third)?.size == 5)
        #expect(try library.placing.replace("A/y", with: third, record: old) == .placed)
        #expect(temporary.read("library/A/y") == "third")
    }

    @Test("the second file of the same bytes is a link, else a copy", arguments: [DuplicationMethod.hardLink, .copy])
    func duplicating(method: DuplicationMethod) throws {
        let library = try library()
        let record = try place("one", at: "A/x", in: library)
        let partial = PartialName(download: 2)
        try library.write("leftover", to: 2)
        let made = try library.duplicates.make(of: "A/x", record: record, as: partial, methods: [method])
        #expect(made == (method == .copy ? .copy : .hardLink))
        #expect(try library.partials.facts(of: partial)?.links == (method == .copy ? 1 : 2))
        #expect(try library.partials.facts(of: partial)?.modified == record.modified)
        #expect(try library.placing.put(partial, at: "B/y") == .placed)
        #expect(temporary.files(under: "library") == ["A/x": "one", "B/y": "one"])
        #expect(try library.files.remove("A/x", record: record) == .removed)
        #expect(temporary.files(under: "library") == ["B/y": "one"])
    }

    @Test("a clone shares blocks or isn't made")
    func cloning() throws {
        let library = try library()
        let record = try place("one", at: "A/x", in: library)
        let made = try library.duplicates.make(
            of: "A/x", record: record, as: PartialName(download: 2), methods: [.clone])
        let facts = try library.partials.facts(of: PartialName(download: 2))
        #expect(made == .clone ? facts?.size == 3 : made == .donorUnusable && facts == nil)
    }

    @Test("a donor that differs from its record gives nothing", arguments: [DuplicationMethod.hardLink, .clone, .copy])
    func badDonor(method: DuplicationMethod) throws {
        let library = try library()
        var record = try place("one", at: "A/x", in: library)
        record.modified = nil
        record.sha256 = sha256("two")
        let partial = PartialName(download: 2)
        #expect(
            try library.duplicates.make(of: "A/x", record: record, as: partial, methods: [method]) == .donorUnusable)
        #expect(
            try library.duplicates.make(of: "A/nothing", record: record, as: partial, methods: [method])
                == .donorUnusable)
        #expect(try library.duplicates.make(of: "A", record: record, as: partial, methods: [method]) == .donorUnusable)
        #expect(try library.partials.all().isEmpty)
    }

    @Test("a copy whose bytes differ from the record is dropped, even if the donor's time matched")
    func copyIsHashed() throws {
        let library = try library()
        var record = try place("one", at: "A/x", in: library)
        record.sha256 = sha256("two")
        let partial = PartialName(download: 2)
        #expect(try library.duplicates.make(of: "A/x", record: record, as: partial, methods: [.copy]) == .donorUnusable)
        #expect(try library.partials.all().isEmpty)
    }

    @Test("a listing contains every file and no folder")
    func listing() throws {
        let library = try library()
        try temporary.make("library/A/folder")
        var names = (0..<1000).map { "\($0) 講義.mp4" }
        names += ["a", String(repeating: "x", count: 255), " ", "-rf"]
        for name in names { try temporary.write("", to: "library/A/" + name) }
        let listing = try library.folders.listing(of: "A")
        #expect(listing.count == names.count)
        #expect(names.allSatisfy { listing.contains($0) })
        for name in ["folder", ".", "..", "", "A", "1000 講義.mp4", "aa"] { #expect(!listing.contains(name)) }
        #expect(try library.folders.listing(of: "nothing").count == 0)
        #expect(try library.folders.listing(of: "").count == 0)
        #expect(throws: LibraryError.badPath("../x")) { try library.folders.listing(of: "../x") }
    }

    @Test("files are looked up by path, and those missing in the listing by name")
    func lookup() throws {
        let library = try library()
        for path in ["x", "A/y", "A/B/z"] { try temporary.write("", to: "library/" + path) }
        try temporary.link("library/A/link", to: "nowhere")
        try temporary.link("library/out", to: "/")
        let names = LibraryFileIndex(of: library)
        for path in ["x", "A/y", "A/B/z", "A/y", "A/link"] { #expect(try names.contains(path)) }
        for path in ["y", "A/B", "A/x", "C/y"] { #expect(try !names.contains(path), "\(path)") }
        // What is behind a file or a link isn't gone: nobody can tell.
        for (path, folder) in [("x/y", "x"), ("A/B/z/q", "A/B/z")] {
            #expect(throws: LibraryError.notAFolder(path: folder)) { try names.contains(path) }
        }
        for path in ["out/tmp", "out/tmp"] {
            #expect(throws: LibraryError.leadsOut(path: "out")) { try names.contains(path) }
        }
        // Created after the listing: still not called missing.
        try temporary.write("", to: "library/A/new")
        #expect(try names.contains("A/new"))
    }

    @Test("a file in a video's place counts by its name and a media extension, and not without its sound")
    func standing() throws {
        let library = try library()
        for path in [
            "A/01 x.mp4", "A/01 x.pdf", "A/01 x.en.vtt", "A/02 y.mp4", "A/02 y.en.m4a", "A/03 z.jpg", "w.webm",
        ] {
            try temporary.write("bytes", to: "library/" + path)
        }
        let names = LibraryFileIndex(of: library)
        #expect(names.videos(withStem: "A/01 x").map(\.path) == ["A/01 x.mp4"])
        #expect(names.videos(withStem: "w").map(\.size) == [5])
        for stem in ["A/02 y", "A/03 z", "A/04", "B/01 x", "../x"] { #expect(names.videos(withStem: stem).isEmpty) }
    }

    @Test("free space is returned")
    func space() throws {
        let space = try #require(try library().space())
        #expect(space.free > 0 && space.free <= space.size)
    }
}
