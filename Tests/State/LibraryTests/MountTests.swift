import Crypto
import FileSystem
import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing
import TextFormats

@testable import MediaLibrary

/// Mounts that only one process sees.
private enum PrivateMounts {
    /// Whether this account may have mounts of its own: decided once, by making one.
    static let areAllowed: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

/// In mounts of the test's own, which are gone with the process that made them.
@Suite(
    "other mounts, full disks and limits", .enabled(if: PrivateMounts.areAllowed, "no private mounts on this machine"))
struct MountTests {
    let temporary = TemporaryFolder()
    let step = Built.executable("library-step").string

    func sha256(_ text: String) -> String { SHA256.hash(data: Data(text.utf8)).hex }

    /// Runs a shell script in mounts of its own; `$1` is the temporary folder, `$2` the helper.
    func run(_ script: String) async throws -> Tool.Ending {
        let arguments = ["-rm", "sh", "-ec", script, "sh", temporary.path.string, step]
        return try await Tool.unshare.run(arguments)
    }

    func prepare(_ text: String, download: Int64 = 1) throws -> LibraryFolder {
        let library = try LibraryFolder.testing(temporary.at("library"))
        try library.write(text, to: download)
        try temporary.make("disk")
        try temporary.make("library/Far")
        return library
    }

    static let mounted = "mount --bind $1/disk $1/library/Far; "

    @Test("a place behind a bind mount is reached by a copy, and nothing is replaced there either")
    func placingAcross() async throws {
        let library = try prepare("one")
        let time = try library.partials.facts(of: PartialName(download: 1))?.modified
        let placed = try await run(Self.mounted + "$2 place $1/library 1 Far/01/x.mp4")
        #expect(placed.output == "placed\n")
        #expect(temporary.files(under: "disk") == ["01/x.mp4": "one"])
        #expect(try library.partials.all().isEmpty)
        let disk = try LibraryFolder.testing(temporary.at("disk"))
        #expect(try disk.files.facts(of: "01/x.mp4")?.modified == time)
        try library.write("two", to: 2)
        let refused = try await run(Self.mounted + "$2 place $1/library 2 Far/01/x.mp4")
        #expect(refused.output.hasPrefix("exists("))
        #expect(temporary.files(under: "disk") == ["01/x.mp4": "one"])
        #expect(try library.partials.facts(of: PartialName(download: 2))?.size == 3)
        // Killed between the copy's name and the original's end.
        try library.write("one", to: 3)
        let again = try await run(Self.mounted + "$2 place $1/library 3 Far/01/x.mp4")
        #expect(again.output == "placed\n")
        #expect(temporary.files(under: "disk") == ["01/x.mp4": "one"])
    }

    @Test("a file behind a bind mount is replaced only if it is ours")
    func replacingAcross() async throws {
        let library = try prepare("new")
        try temporary.write("old", to: "disk/x.mp4")
        let wrong = try await run(Self.mounted + "$2 replace $1/library 1 Far/x.mp4 3 \(sha256("abc"))")
        #expect(wrong.output.hasPrefix("notOurs"))
        #expect(temporary.files(under: "disk") == ["x.mp4": "old"])
        let right = try await run(Self.mounted + "$2 replace $1/library 1 Far/x.mp4 3 \(sha256("old"))")
        #expect(right.output == "replaced\n")
        #expect(temporary.files(under: "disk") == ["x.mp4": "new"])
        #expect(try library.partials.all().isEmpty)
    }

    @Test("moves go across a bind mount, both ways at once")
    func movingAcross() async throws {
        let library = try prepare("-")
        try library.partials.remove(PartialName(download: 1))
        try temporary.write("a", to: "library/Near/a.mp4")
        try temporary.write("b", to: "disk/b.mp4")
        let plan = try #require(
            try MovePlan.plan([(from: "Near/a.mp4", to: "Far/b.mp4"), (from: "Far/b.mp4", to: "Near/a.mp4")]))
        try JSONEncoder().encode(plan.moves).write(to: URL(filePath: temporary.at("plan.json").string))
        let ending = try await run(Self.mounted + "$2 moves $1/library $1/plan.json")
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(temporary.files(under: "disk") == ["b.mp4": "a"])
        #expect(temporary.files(under: "library") == ["Near/a.mp4": "b"])
    }

    @Test("a file that can't leave its mount stays there, and nowhere else")
    func movingAway() async throws {
        let library = try prepare("-")
        try library.partials.remove(PartialName(download: 1))
        try temporary.write("b", to: "disk/b.mp4")
        let plan = try #require(try MovePlan.plan([(from: "Far/b.mp4", to: "Near/b.mp4")]))
        try JSONEncoder().encode(plan.moves).write(to: URL(filePath: temporary.at("plan.json").string))
        let script = Self.mounted + "mount -o remount,bind,ro $1/library/Far; $2 moves $1/library $1/plan.json"
        let ending = try await run(script)
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(temporary.files(under: "disk") == ["b.mp4": "b"])
        #expect(temporary.files(under: "library").isEmpty)
        #expect(
            !temporary.names().contains { $0.hasPrefix("library/.coursefetch/moving/") && !$0.hasSuffix(".collected") })
    }

    @Test("a full disk is reported as such, and leaves neither half a file nor a lost one")
    func full() async throws {
        let text = String(repeating: "x", count: 3 << 20)
        let library = try prepare(text)
        let script = """
            mount -t tmpfs -o size=1m none $1/library/Far
            $2 place $1/library 1 Far/x.mp4 || ls -A $1/library/Far
            """
        let ending = try await run(script)
        #expect(ending.output.hasPrefix("error full=true"))
        #expect(ending.output.split(separator: "\n").count == 1, "\(ending.output)")
        #expect(try library.partials.facts(of: PartialName(download: 1))?.size == Int64(text.utf8.count))
    }

    @Test("the limit on a file's size is not a full disk, and the partial copy is removed")
    func limited() async throws {
        let text = String(repeating: "x", count: 300_000)
        let library = try prepare(text)
        #expect(try library.placing.put(PartialName(download: 1), at: "A/x.mp4") == .placed)
        let arguments = ["copy", temporary.at("library").string, "A/x.mp4", "2", "300000", sha256(text)]
        let ending = try await Tool.run(step, arguments + ["100000"])
        #expect(ending.output.hasPrefix("error full=false"))
        #expect(try library.partials.all().isEmpty)
        #expect(try await Tool.run(step, arguments).output == "copy\n")
    }
}
