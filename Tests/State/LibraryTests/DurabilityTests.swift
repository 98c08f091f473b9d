import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary

/// The order of system calls, as strace saw it in a process of its own.
@Suite("the order of durable steps")
struct DurabilityTests {
    let temporary = TemporaryFolder()

    /// Each call as `rename FROM > TO` or `fsync PATH`, paths relative to the library.
    func trace(_ arguments: [String]) async throws -> [String] {
        try await Tool.strace.require()
        let log = temporary.at("trace")
        let step = Built.executable("library-step").string
        let ending = try await Tool.strace.run(
            ["-f", "-y", "-s", "4096", "-e", "trace=renameat2,fsync,fdatasync", "-o", log.string, step] + arguments)
        try #require(ending.isSuccess, "\(ending.output)")
        let root = temporary.at("library").string
        return (temporary.read("trace") ?? "").split(separator: "\n").compactMap { line -> String? in
            guard line.hasSuffix(" = 0") else { return nil }
            let paths = line.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" } }.map {
                $0 == root ? "." : String($0.dropFirst(root.count + 1))
            }
            let names = line.split(separator: "\"")
            if line.contains("renameat2("), paths.count == 2, names.count >= 4 {
                return "rename \(paths[0])/\(names[1]) > \(paths[1])/\(names[3])"
            }
            return paths.first.map { "fsync \($0)" }
        }
    }

    @Test("a file's name is flushed after the rename, and a new folder's after that")
    func placing() async throws {
        let library = try LibraryFolder.testing(temporary.at("library"))
        try library.write("one", to: 1)
        let calls = try await trace(["place", temporary.at("library").string, "1", "A/B/x.mp4"])
        #expect(
            calls == ["rename .coursefetch/partials/1.part > A/B/x.mp4", "fsync A/B", "fsync A", "fsync ."])
    }

    @Test("a marker is flushed before it gets its name")
    func marker() async throws {
        try temporary.make("library")
        let plan = try #require(try MovePlan.plan([(from: "a", to: "b")]))
        try JSONEncoder().encode(plan.moves).write(to: URL(filePath: temporary.at("plan.json").string))
        let calls = try await trace(["moves", temporary.at("library").string, temporary.at("plan.json").string])
        #expect(
            calls.prefix(4).map { $0.replacing(/library\.json\.[a-z]+\.new/, with: "library.json.ID.new") } == [
                "fsync .coursefetch/library.json.ID.new",
                "rename .coursefetch/library.json.ID.new > .coursefetch/library.json", "fsync .coursefetch", "fsync .",
            ])
    }

    @Test("the mark of a plan appears after all files are collected and before any is placed")
    func moves() async throws {
        _ = try LibraryFolder.testing(temporary.at("library"))
        try temporary.write("a", to: "library/C/a")
        try temporary.write("b", to: "library/D/b")
        let plan = try #require(try MovePlan.plan([(from: "C/a", to: "D/b"), (from: "D/b", to: "C/a")]))
        try JSONEncoder().encode(plan.moves).write(to: URL(filePath: temporary.at("plan.json").string))
        let calls = try await trace(["moves", temporary.at("library").string, temporary.at("plan.json").string])
        let moving = ".coursefetch/moving"
        let mark = "\(moving)/\(plan.id).collected"
        let collecting = [
            "rename C/a > \(moving)/\(plan.moves[0].id)", "rename D/b > \(moving)/\(plan.moves[1].id)",
        ]
        let placing = ["rename \(moving)/\(plan.moves[0].id) > D/b", "rename \(moving)/\(plan.moves[1].id) > C/a"]
        let marking = "rename \(mark).new > \(mark)"
        #expect(calls.filter { $0.hasPrefix("rename") } == collecting + [marking] + placing)
        let appears = try #require(calls.firstIndex(of: marking))
        #expect(Set(calls[2..<appears]).isSuperset(of: ["fsync C", "fsync D", "fsync \(mark).new"]))
        #expect(calls[appears + 1] == "fsync \(moving)")
        let last = try #require(calls.firstIndex(of: placing[1]))
        #expect(Set(calls[(last + 1)...]).isSuperset(of: ["fsync C", "fsync D", "fsync \(moving)"]))
    }

    @Test(
        "a folder whose flush fails is reported, and one that doesn't support flushing isn't",
        arguments: ["EIO", "EINVAL", "EOPNOTSUPP"])
    func failingFlush(error: String) async throws {
        try await Tool.strace.require()
        let library = try LibraryFolder.testing(temporary.at("library"))
        try library.write("one", to: 1)
        let step = Built.executable("library-step").string
        let ending = try await Tool.strace.run([
            "-f", "-o", "/dev/null", "-e", "inject=fsync:error=\(error)", step, "place", temporary.at("library").string,
            "1",
            "A/x.mp4",
        ])
        #expect(ending.isSuccess == (error != "EIO"), "\(ending.output)")
        if error == "EIO" { #expect(ending.output.contains("system(") && ending.output.contains("flush")) }
    }

    @Test("without renameat2 or openat2 the result is the same", arguments: ["EINVAL", "ENOSYS"])
    func oldKernel(error: String) async throws {
        try await Tool.strace.require()
        let library = try LibraryFolder.testing(temporary.at("library"))
        try library.write("one", to: 1)
        try library.write("two", to: 2)
        let step = Built.executable("library-step").string
        func place(_ number: String) async throws -> Tool.Ending {
            try await Tool.strace.run([
                "-f", "-o", "/dev/null", "-e", "inject=renameat2:error=\(error)", "-e", "inject=openat2:error=ENOSYS",
                step,
                "place", temporary.at("library").string, number, "A/x.mp4",
            ])
        }
        #expect(try await place("1").output == "placed\n")
        #expect(try await place("2").output.hasPrefix("exists("))
        #expect(temporary.files(under: "library") == ["A/x.mp4": "one"])
        #expect(try Set(library.partials.all().keys) == [PartialName(download: 2)])
    }
}
