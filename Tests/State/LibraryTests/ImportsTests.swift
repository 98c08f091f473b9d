import FileSystem
import Foundation
import MediaLibrary
import SystemPackage
import TestSupport
import Testing

@Suite("Partials made from files outside the library")
struct ImportsTests {
    private let folder = TemporaryFolder()
    private let name = PartialName(download: 7)

    private func library() throws -> LibraryFolder {
        try LibraryFolder.open(
            folder.at("library"), expecting: .new(LibraryID(rawValue: "1")), owner: .current(user: "anna"))
    }

    private func open(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(folder.at(path), .readOnly)
    }

    @Test("files are copied one after the other, or the beginning of one, with their digest")
    func copy() throws {
        let library = try library()
        try folder.write("first ", to: "a")
        try folder.write("second", to: "b")
        let (a, b) = (try open("a"), try open("b"))
        defer { for file in [a, b] { try? file.close() } }
        var copied: [Int64] = []
        let pieces = [Imports.Piece(a.rawValue), Imports.Piece(b.rawValue, length: 3)]
        let made = try library.imports.copy(pieces, as: name, shouldStop: { false }, copied: { copied.append($0) })
        #expect(try String(contentsOfFile: library.partials.path(of: name).string, encoding: .utf8) == "first sec")
        #expect(made.size == 9 && copied == [6, 3])
        #expect(try Imports.digest(of: pieces, shouldStop: { false }).sha256 == made.sha256)
        #expect(folder.read("a") == "first " && folder.read("b") == "second")
        // An earlier partial of the name is replaced, and one that is stopped doesn't stay.
        let again = try library.imports.copy([pieces[1]], as: name, shouldStop: { false }, copied: { _ in })
        #expect(again.size == 3)
        #expect(throws: LibraryError.stopped) {
            _ = try library.imports.copy(pieces, as: name, shouldStop: { true }, copied: { _ in })
        }
        #expect(try library.partials.facts(of: name) == nil)
    }

    @Test("a link is the file itself, and only the one that was looked at")
    func link() throws {
        let library = try library()
        try folder.write("text", to: "a")
        let outside = try FolderHandle(at: folder.path)
        guard case .file(let facts)? = try outside.entry("a") else { throw CocoaError(.fileNoSuchFile) }
        #expect(try library.imports.link("a", in: outside, proven: facts, as: name))
        #expect(try library.partials.facts(of: name)?.inode == facts.inode)
        // The name leads to another file now.
        try folder.write("other", to: "b")
        try folder.remove("a")
        try folder.move("b", to: "a")
        #expect(try !library.imports.link("a", in: outside, proven: facts, as: name))
        #expect(try library.partials.facts(of: name) == nil)
        // Nothing is written to a partial that is somebody's file.
        #expect(folder.read("a") == "other")
    }
}
