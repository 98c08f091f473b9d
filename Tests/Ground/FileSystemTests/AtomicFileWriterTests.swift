import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite("whole files")
struct AtomicFileWriterTests {
    let temporary = TemporaryFolder()

    func path(_ name: String) -> String { temporary.at(name).string }

    func attributes(_ name: String) throws -> [FileAttributeKey: Any] {
        try FileManager.default.attributesOfItem(atPath: path(name))
    }

    @Test("a file is replaced in one step, keeps its mode, and nothing is left beside it")
    func replacing() throws {
        try AtomicFileWriter.write(Array("one".utf8), to: path("f"))
        #expect(temporary.read("f") == "one")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("f"))
        try temporary.link("link", to: "f")
        let inode = try attributes("f")[.systemFileNumber] as? Int
        try AtomicFileWriter.write(Array("two".utf8), to: path("link"))
        #expect(temporary.read("f") == "two")
        let facts = try attributes("f")
        #expect(facts[.systemFileNumber] as? Int != inode && facts[.posixPermissions] as? Int == 0o640)
        #expect(temporary.names().sorted() == ["f", "link"])
    }

    @Test("a device is written to, and not replaced")
    func device() throws {
        try AtomicFileWriter.write([1], to: "/dev/null")
        var device = stat()
        #expect(stat("/dev/null", &device) == 0 && device.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("where no file can be, nothing is made")
    func refused() throws {
        #expect(throws: Errno.noSuchFileOrDirectory) { try AtomicFileWriter.write([1], to: path("no/f")) }
        #expect(throws: Errno.isDirectory) { try AtomicFileWriter.write([1], to: temporary.path.string) }
        #expect(temporary.names().isEmpty)
    }

    @Test("a folder that is executable but not readable takes a file", .enabled(if: geteuid() != 0))
    func dropBox() throws {
        try temporary.make("box")
        try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: path("box"))
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path("box")) }
        try AtomicFileWriter.write(Array("one".utf8), to: path("box/f"))
        #expect(temporary.read("box/f") == "one")
    }
}
