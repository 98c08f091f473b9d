import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("bytes of other programs")
struct ForeignBytesSyncTests {
    /// Long enough for holes between the samples.
    private static let long = 4_000_000

    private static func date(_ path: String, _ seconds: Double, in world: MigrationStage) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: seconds)],
            ofItemAtPath: world.stage.folder.at("old/" + path).string)
    }

    @Test(
        "a file of wget is finished only as its server has it: cut, whole, too long, of another version",
        arguments: ["--copy", "--link", "--move"])
    func unproven(method: String) async throws {
        let world = try await MigrationStage(1...4)
        try world.video(1, upTo: 250_000)
        try world.video(2)
        try world.file("3.mp4", MigrationStage.content(3).all + [1, 2, 3])
        var other = MigrationStage.content(4).all
        other[100_000] ^= 1
        try world.file("4.mp4", other)
        let before = try world.source()
        let wget = ["wget", world.stage.folder.at("old").string]
        let options = method == "--move" ? ["--move", "--remove-source"] : [method]
        let first = try await world.migrate(wget, options)
        #expect(first.exit == 75, "\(first.outcome.report)")
        #expect(first.records.map(\.result) == Array(repeating: "uncompleted", count: 4), "\(first.outcome.output)")
        #expect(first.records.map(\.bytes) == [250_000, 300_000, 300_003, 300_000])
        #expect(try world.stage.stateCopy().states().values.allSatisfy { $0 == "waiting" })
        let sync = try await world.stage.sync()
        #expect(sync.exit == 0, "\(sync.report)")
        #expect(try world.source() == before)
        let digests = LibraryFiles(world.stage.library).digests.values.sorted()
        #expect(digests == (1...4).map { MigrationStage.content($0).sha256Text }.sorted())
        let requests = world.requests()
        #expect(requests.contains { $0.hasPrefix("/media/1/") && $0.hasSuffix("bytes=250000-") }, "\(requests)")
        for id in 1...2 {
            #expect(!requests.contains { $0.hasPrefix("/media/\(id)/") && $0.hasSuffix("whole") }, "\(requests)")
        }
        let isLink =
            inode(world.stage.library.appending("Course/02 2.mp4")) == inode(world.stage.folder.at("old/2.mp4"))
        #expect(isLink == (method != "--copy"))
        #expect(try world.stage.strays() == [])
        let last = try await world.migrate(wget, [])
        #expect(last.exit == 0 && last.records.map(\.result) == Array(repeating: "duplicate", count: 4))
        #expect(try await world.stage.command(["verify"]).exit == 0)
        await world.host.stop()
    }

    @Test("a file of wget whose server doesn't answer waits, and is finished without one if the catalog has its size")
    func silent() async throws {
        let world = try await MigrationStage(1...2, extra: [2: ["size: \(MigrationStage.size)"]])
        for id in 1...2 { try world.video(id) }
        let wget = ["wget", world.stage.folder.at("old").string]
        let report = try await world.migrate(wget, ["--requeue"])
        #expect(report.exit == 0, "\(report.outcome.report)")
        await world.host.stop()
        let sync = try await world.stage.sync("catalog.yaml", ["--retries", "1"])
        #expect(sync.exit != 0, "\(sync.report)")
        #expect(LibraryFiles(world.stage.library).paths == ["Course/02 2.mp4"])
        #expect(
            try world.stage.stateCopy().rows("SELECT durable_bytes b FROM downloads WHERE video = '1'") == [
                ["b": "\(MigrationStage.size)"]
            ])
    }

    @Test("a partial of an older version is dropped, also where all samples are equal: by the server's date")
    func versions() async throws {
        let host = try await FaultHost.start()
        let sha = TestContent(seed: 4, size: Self.long).sha256Text
        let queries = ["", "", "?modified=none", "?modified=none", "?modified=none"]
        let extra = [3: "sha256: \(TestContent(seed: 3, size: Self.long).sha256Text)", 4: "sha256: \(sha)"]
        let world = try await MigrationStage(
            1...5,
            extra: Dictionary(
                uniqueKeysWithValues: queries.enumerated().map { number, query in
                    let url = host.url("/media/\(number + 1)/\(Self.long).mp4") + query
                    return (number + 1, ["parameters: {url: \"\(url)\"}"] + [extra[number + 1]].compactMap(\.self))
                }))
        for id in 1...5 {
            var bytes = TestContent(seed: UInt64(id), size: Self.long).bytes(0..<3_000_000)
            // 100 kB that no sample has; of the fifth one everything is right, and nothing tells it.
            if [1, 3].contains(id) {
                bytes.replaceSubrange(400_000..<500_000, with: [UInt8](repeating: 9, count: 100_000))
            }
            try world.file("\(id).mp4", bytes)
        }
        // The host's file is of 1,700,000,000.
        try Self.date("1.mp4", 1_600_000_000.5, in: world)
        try world.list((1...5).map { "c,\($0),\($0).mp4,unfinished,\(Self.long)" })
        #expect(try await world.migrate(["--requeue"]).exit == 0)
        let sync = try await world.stage.sync("catalog.yaml", ["--jobs", "1"])
        #expect(sync.exit == 0, "\(sync.report)")
        let digests = LibraryFiles(world.stage.library).digests
        #expect(
            digests.values.sorted() == (1...5).map { TestContent(seed: $0, size: Self.long).sha256Text }.sorted())
        let requests = host.requests().map { "\($0.target) \($0.fields["range"] ?? "whole")" }
        for id in [1, 3, 5] {
            #expect(requests.contains { $0.hasPrefix("/media/\(id)/") && $0.hasSuffix("whole") }, "\(requests)")
        }
        for id in [2, 4] {
            #expect(!requests.contains { $0.hasPrefix("/media/\(id)/") && $0.hasSuffix("whole") }, "\(requests)")
        }
        await host.stop()
        await world.host.stop()
    }
}
