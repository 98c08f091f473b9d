import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem
@testable import MediaLibrary

@Suite("placing files in the library")
struct PlacingTests {
    let temporary = TemporaryFolder()

    func library(stepwise: Bool = false) throws -> LibraryFolder {
        try .testing(temporary.at("library"), stepwise: stepwise)
    }

    func text(_ path: String) -> String? { temporary.read("library/" + path) }

    @Test("a partial gets its name, and its folders are made", arguments: [false, true])
    func placing(stepwise: Bool) throws {
        let library = try library(stepwise: stepwise)
        let partial = try library.write("one", to: 1)
        let before = try #require(try library.partials.facts(of: partial))
        #expect(try library.placing.put(partial, at: "A/01 B/01 C.mp4") == .placed)
        try library.folders.flushNames(of: ["A/01 B/01 C.mp4"])
        #expect(temporary.files(under: "library") == ["A/01 B/01 C.mp4": "one"])
        #expect(try library.partials.all().isEmpty)
        #expect(try library.files.facts(of: "A/01 B/01 C.mp4") == before)
    }

    @Test("an existing file is never replaced, nor is a folder", arguments: [false, true])
    func occupied(stepwise: Bool) throws {
        let library = try library(stepwise: stepwise)
        try temporary.write("theirs", to: "library/A/x.mp4")
        try temporary.make("library/A/y.mp4")
        let partial = try library.write("ours", to: 1)
        let facts = try #require(try library.files.facts(of: "A/x.mp4"))
        #expect(try library.placing.put(partial, at: "A/x.mp4") == .exists(facts))
        #expect(try library.placing.put(partial, at: "A/y.mp4") == .exists(nil))
        #expect(text("A/x.mp4") == "theirs")
        #expect(text(".coursefetch/partials/1.part") == "ours")
    }

    @Test("a folder renamed while it is open gets no more files: the folder at the path is made again")
    func renamedFolder() throws {
        let library = try library()
        _ = try library.placing.put(try library.write("one", to: 1), at: "A/01 B/one.mp4")
        try temporary.move("library/A", to: "library/C")
        try library.refreshFolders(of: ["A/01 B/two.mp4"])
        #expect(try library.placing.put(try library.write("two", to: 2), at: "A/01 B/two.mp4") == .placed)
        #expect(temporary.files(under: "library") == ["A/01 B/two.mp4": "two", "C/01 B/one.mp4": "one"])
    }

    @Test("no link is followed, whether it leads out or stays inside", arguments: [false, true])
    func links(stepwise: Bool) throws {
        let library = try library(stepwise: stepwise)
        try temporary.make("outside")
        try temporary.write("secret", to: "outside/x.mp4")
        try temporary.make("library/real")
        try temporary.link("library/out", to: temporary.at("outside").string)
        try temporary.link("library/in", to: "real")
        try temporary.link("library/up", to: "..")
        try temporary.link("library/real/x.mp4", to: temporary.at("outside/x.mp4").string)
        try temporary.link("library/real/dangling.mp4", to: temporary.at("outside/new.mp4").string)
        let partial = try library.write("ours", to: 1)
        for path in ["out/x.mp4", "in/y.mp4", "up/outside/y.mp4", "out/new/y.mp4"] {
            #expect(throws: LibraryError.leadsOut(path: folder(path))) {
                try library.placing.put(partial, at: path)
            }
            #expect(throws: LibraryError.leadsOut(path: folder(path))) { try library.files.facts(of: path) }
            #expect(throws: LibraryError.leadsOut(path: folder(path))) { try library.folders.listing(of: folder(path)) }
        }
        for path in ["real/x.mp4", "real/dangling.mp4"] {
            #expect(throws: LibraryError.leadsOut(path: path)) { try library.placing.put(partial, at: path) }
            #expect(throws: LibraryError.leadsOut(path: path)) { try library.files.hash(path) }
            let record = FileRecord(size: 6, modified: nil, sha256: nil)
            #expect(throws: LibraryError.leadsOut(path: path)) { try library.files.remove(path, record: record) }
            #expect(throws: LibraryError.leadsOut(path: path)) {
                try library.placing.replace(path, with: partial, record: record)
            }
        }
        #expect(temporary.files(under: "outside") == ["x.mp4": "secret"])
        #expect(text(".coursefetch/partials/1.part") == "ours")
    }

    private func folder(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }

    @Test(
        "a path that isn't one of the library's is a bug",
        arguments: ["", "/etc/x", "../x", "a/../x", "a//x", "./x", "a/", ".coursefetch/library.json", "a\0b"])
    func badPaths(path: String) throws {
        let library = try library()
        let partial = try library.write("ours", to: 1)
        #expect(throws: LibraryError.badPath(path)) { try library.placing.put(partial, at: path) }
        #expect(throws: LibraryError.badPath(path)) { try library.files.facts(of: path) }
        #expect(throws: LibraryError.badPath(path)) {
            try library.files.remove(path, record: FileRecord(size: 0, modified: 0, sha256: nil))
        }
    }

    @Test("a file in place of a needed folder is reported", arguments: [false, true])
    func fileInTheWay(stepwise: Bool) throws {
        let library = try library(stepwise: stepwise)
        try temporary.write("theirs", to: "library/A")
        let partial = try library.write("ours", to: 1)
        #expect(throws: LibraryError.notAFolder(path: "A/B")) { try library.placing.put(partial, at: "A/B/x.mp4") }
        #expect(text("A") == "theirs")
    }

    @Test("a folder removed while it was open is made again")
    func removedMeanwhile() throws {
        let library = try library()
        #expect(try library.placing.put(try library.write("one", to: 1), at: "A/B/x.mp4") == .placed)
        try temporary.remove("library/A")
        #expect(try library.placing.put(try library.write("two", to: 2), at: "A/B/y.mp4") == .placed)
        try library.folders.flushNames(of: ["A/B/y.mp4"])
        #expect(temporary.files(under: "library") == ["A/B/y.mp4": "two"])
    }

    @Test("any number of folders uses a bounded number of descriptors")
    func descriptors() throws {
        let library = try library()
        let before = temporary.openDescriptors()
        for number in 0..<200 {
            #expect(try library.placing.put(try library.write("x", to: 1), at: "F\(number)/x.mp4") == .placed)
        }
        try library.folders.flushNames(of: (0..<200).map { "F\($0)/x.mp4" })
        #expect(temporary.openDescriptors() - before <= FolderCache.bound)
    }

    @Test("without renameat2 a name is a link and an unlink, and the next call completes an interrupted one")
    func linkAndUnlink() throws {
        let library = try library()
        try library.write("one", to: 1)
        let folder = try library.folders.creating("A")
        try library.partials.folder.handle.linkAndUnlink("1.part", to: folder, "x.mp4")
        #expect(temporary.files(under: "library") == ["A/x.mp4": "one"])
        #expect(try library.partials.all().isEmpty)
        // Killed between the two.
        try library.write("two", to: 2)
        try library.partials.folder.handle.link("2.part", to: folder, "y.mp4")
        try library.partials.folder.handle.linkAndUnlink("2.part", to: folder, "y.mp4")
        #expect(text("A/y.mp4") == "two")
        #expect(try library.partials.all().isEmpty)
        // Somebody else's.
        try library.write("three", to: 3)
        #expect(throws: Errno.fileExists) {
            try library.partials.folder.handle.linkAndUnlink("3.part", to: folder, "y.mp4")
        }
        #expect(text("A/y.mp4") == "two")
        #expect(text(".coursefetch/partials/3.part") == "three")
    }

    @Test("without links either, a name is claimed before it is used")
    func reserve() throws {
        let library = try library()
        let folder = try library.folders.creating("A")
        try library.write("one", to: 1)
        try library.partials.folder.handle.claimAndReplace("1.part", to: folder, "x.mp4")
        try library.write("two", to: 2)
        #expect(throws: Errno.fileExists) {
            try library.partials.folder.handle.claimAndReplace("2.part", to: folder, "x.mp4")
        }
        #expect(throws: Errno.noSuchFileOrDirectory) {
            try library.partials.folder.handle.claimAndReplace("9.part", to: folder, "z.mp4")
        }
        #expect(temporary.files(under: "library") == ["A/x.mp4": "one"])
    }

    @Test("without links either, a kill after a name is claimed leaves no empty file: the next attempt has it")
    func killedAfterClaiming() async throws {
        try await Tool.strace.require()
        let library = try library()
        try library.write("one", to: 1)
        let step = Built.executable("library-step").string
        func place(_ more: [String]) async throws -> Tool.Ending {
            try await Tool.strace.run(
                ["-f", "-o", "/dev/null", "-e", "inject=renameat2:error=EINVAL", "-e", "inject=linkat:error=EPERM"]
                    + more + [step, "place", temporary.at("library").string, "1", "A/x.mp4"])
        }
        #expect(try await !place(["-e", "inject=renameat:signal=KILL"]).isSuccess)
        #expect(text("A/x.mp4")?.isEmpty == true, "it was killed in between")
        #expect(try await place([]).output == "placed\n")
        #expect(temporary.files(under: "library") == ["A/x.mp4": "one"])
        #expect(!temporary.names().contains { $0.contains(".claim") })
        // Somebody else's empty file stays.
        try library.write("two", to: 1)
        try temporary.write("", to: "library/A/x.mp4")
        #expect(try await place([]).output.hasPrefix("exists("))
        #expect(text("A/x.mp4")?.isEmpty == true && text(".coursefetch/partials/1.part") == "two")
    }

    @Test("a folder that can't be flushed is reported for the files in it and below it only")
    func unflushedNames() throws {
        let library = try library()
        for (number, path) in [(Int64(1), "A/x"), (2, "B/1/x"), (3, "B/2/x")] {
            try library.write("one", to: number)
            #expect(try library.placing.put(PartialName(download: number), at: path) == .placed)
        }
        // Opened anew, so that the folders are as well.
        let again = try self.library()
        try FileManager.default.removeItem(atPath: temporary.at("library/B/1").string)
        try temporary.write("in the way", to: "library/B/1")
        let unflushed = again.folders.unflushedNames(of: ["A/x", "B/1/x", "B/2/x", "../x"])
        #expect(unflushed == ["B/1/x": .notAFolder(path: "B/1"), "../x": .badPath("../x")])
        #expect(throws: LibraryError.badPath("../x")) { try again.folders.flushNames(of: ["A/x", "B/1/x", "../x"]) }
        try again.folders.flushNames(of: ["A/x", "B/2/x"])
    }

    @Test("a partial that is a finished file's second name is never written to")
    func sharedPartial() throws {
        let library = try library()
        let partial = try library.write("one", to: 1)
        let folder = try library.folders.creating("A")
        try library.partials.folder.handle.link("1.part", to: folder, "x.mp4")
        let open = try library.partials.open(partial)
        #expect(open.size == 0)
        try open.descriptor.writeAll("overwritten".utf8)
        #expect(text("A/x.mp4") == "one")
    }

    @Test("a special file in place of a partial is refused")
    func oddPartials() throws {
        let library = try library()
        try temporary.make("library/.coursefetch/partials/1.part")
        try temporary.write("secret", to: "outside")
        try temporary.link("library/.coursefetch/partials/2.part", to: temporary.at("outside").string)
        #expect(throws: LibraryError.notAFile(path: ".coursefetch/partials/1.part")) {
            try library.partials.open(PartialName(download: 1))
        }
        #expect(throws: LibraryError.leadsOut(path: ".coursefetch/partials/2.part")) {
            try library.partials.open(PartialName(download: 2))
        }
        #expect(temporary.read("outside") == "secret")
    }

    @Test("partials are listed by download; other files there are ignored")
    func partials() throws {
        let library = try library()
        try library.write("12345", to: 7)
        _ = try library.partials.open(PartialName(download: 7, sidecar: "cover"))
        for name in ["07.part", "x.part", "7.part.bak", "+7.part", "7.a.b.part", "7.A.part"] {
            try temporary.write("", to: "library/.coursefetch/partials/" + name)
        }
        let partials = try library.partials.all()
        #expect(Set(partials.keys) == [PartialName(download: 7), PartialName(download: 7, sidecar: "cover")])
        #expect(partials[PartialName(download: 7)]?.size == 5)
        for name in partials.keys { try library.partials.remove(name) }
        try library.partials.remove(PartialName(download: 99))
        #expect(try library.partials.all().isEmpty)
        #expect(PartialName(download: 1, sidecar: "../../Ü").fileName == "1.--------.part")
    }
}
