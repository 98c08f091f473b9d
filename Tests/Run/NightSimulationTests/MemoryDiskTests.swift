import FileSystem
import Foundation
import SystemPackage
import Testing

@testable import LibrarySimulation

@Suite("The disk in memory")
struct MemoryDiskTests {
    let disk = MemoryDisk()

    private func root(_ disk: MemoryDisk) throws -> FolderHandle { try FolderHandle(at: "/", calls: disk) }

    private func write(_ text: String, _ name: String, flushes: Bool) throws {
        let file = try root(disk).openFile(name, 0o101)
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        if flushes { try file.flush() }
    }

    @Test("a power loss takes the bytes that no flush followed, and as many of the last names as it says")
    func powerLoss() throws {
        try write("kept", "a", flushes: true)
        try write("lost", "b", flushes: false)
        try root(disk).rename("a", to: root(disk), "c")
        #expect(disk.content.files(beneath: "") == ["b": Array("lost".utf8), "c": Array("kept".utf8)])
        #expect(disk.content.afterPowerLoss(0).files(beneath: "") == ["b": [], "c": Array("kept".utf8)])
        #expect(disk.content.afterPowerLoss(0.5).files(beneath: "") == ["b": [], "a": Array("kept".utf8)])
        #expect(disk.content.afterPowerLoss(1).files(beneath: "") == ["a": Array("kept".utf8)])
        try root(disk).flush()
        #expect(disk.content.afterPowerLoss(1).files(beneath: "") == ["b": [], "c": Array("kept".utf8)])
    }

    @Test("calls have the kernel's errors")
    func errors() throws {
        let root = try root(disk)
        try write("x", "file", flushes: true)
        try root.makeFolder("folder")
        try write("y", "other", flushes: true)
        #expect(throws: Errno.fileExists) { try root.rename("file", to: root, "other") }
        #expect(throws: Errno.noSuchFileOrDirectory) { try root.folder("missing") }
        #expect(throws: Errno.notDirectory) { try root.folder("file") }
        #expect(throws: Errno.noSuchFileOrDirectory) { try root.rename("missing", to: root, "new") }
        _ = try root.folder("folder").openFile("inside", 0o101)
        #expect(try root.removeFolder("folder") == false)
        try root.folder("folder").remove("inside")
        let open = try root.folder("folder")
        #expect(try root.removeFolder("folder"))
        #expect(throws: Errno.noSuchFileOrDirectory) { try open.makeFolder("late") }
    }

    @Test("a planned call fails, and a killed process makes none any more")
    func faults() throws {
        var faults = MemoryDisk.Faults()
        faults.errors[2] = .noSpace
        faults.kill = 4
        let disk = MemoryDisk(MemoryDisk.Content(), faults)
        let root = try root(disk)
        #expect(throws: Errno.noSpace) { try root.makeFolder("a") }
        try root.makeFolder("b")
        #expect(throws: Errno.ioError) { try root.makeFolder("c") }
        #expect(throws: Errno.ioError) { try root.entry("b") }
        #expect(disk.isDead && disk.hasFailed && disk.content.number(at: "b") != nil)
        #expect(disk.content.number(at: "a") == nil && disk.content.number(at: "c") == nil)
    }

    @Test("a hard link is one file with two names")
    func links() throws {
        try write("x", "a", flushes: true)
        try root(disk).link("a", to: root(disk), "b")
        guard case .file(let facts)? = try root(disk).entry("b") else { return #expect(Bool(false)) }
        #expect(facts.links == 2)
        try root(disk).remove("a")
        #expect(disk.content.files(beneath: "") == ["b": Array("x".utf8)])
    }
}
