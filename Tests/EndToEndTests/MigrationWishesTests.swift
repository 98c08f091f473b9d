import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("what a migration tells, and what it is told")
struct MigrationWishesTests {
    @Test("what another downloader had isn't new to anybody; what it hadn't is")
    func news() async throws {
        let world = try await MigrationStage(1...3, extra: [1: ["size: \(MigrationStage.size)"]])
        try world.stage.folder.write(
            "hooks: {on-new: 'jq -c .message >> ../../../news'}\n", to: "home/.config/coursefetch/config.yaml")
        for id in 1...2 { try world.video(id) }
        #expect(try await world.migrate(["wget", world.stage.folder.at("old").string], ["--requeue"]).exit == 0)
        #expect(try await world.stage.sync().exit == 0)
        #expect(LibraryFiles(world.stage.library).paths.count == 3)
        #expect(world.stage.folder.read("news") == "\"1 new lecture in Course\"\n")
        await world.host.stop()
    }

    @Test("with --seen the lines of yt-dlp's archive without a file are cancelled, and no sync downloads them")
    func seen() async throws {
        let world = try await MigrationStage(1...3)
        try world.file("two [2].mp4", MigrationStage.content(2).all)
        try world.stage.folder.write("youtube 1\nyoutube 2\nyoutube 99\n", to: "old/archive.txt")
        let source = ["yt-dlp", world.stage.folder.at("old").string]
        let plain = try await world.migrate(source, ["--dry-run"])
        #expect(plain.records.map(\.result).sorted() == ["added", "file_lost", "not_ready"], "\(plain.outcome.output)")
        let first = try await world.migrate(source, ["--seen"])
        #expect(first.exit == 0, "\(first.outcome.report)\(first.outcome.output)")
        #expect(
            first.results.sorted() == ["youtube 1 added seen", "youtube 2 added", "youtube 99 duplicate seen"],
            "\(first.outcome.output)")
        #expect(try world.stage.stateCopy().states() == ["1": "cancelled", "2": "finished", "3": "waiting"])
        let again = try await world.migrate(source, ["--seen"])
        #expect(again.exit == 0 && again.records.first { $0.video == "1" }?.earlier == true)
        #expect(try await world.stage.sync().exit == 0)
        #expect(world.requests() == ["/media/3/\(MigrationStage.size).mp4 whole"])
        // A line has nothing that could be lost with the source.
        let last = try await world.migrate(source, ["--seen", "--remove-source"])
        #expect(last.exit == 0, "\(last.outcome.report)")
        #expect(world.stage.folder.files(under: "old").isEmpty)
        #expect(try await world.stage.command(["retry", "c/1"]).exit == 0)
        #expect(try world.stage.stateCopy().states()["1"] == "waiting")
        await world.host.stop()
    }

    @Test("a file that can't be read fails alone; the others come in")
    func unreadable() async throws {
        let world = try await MigrationStage(1...3)
        for id in 1...3 { try world.video(id) }
        try world.list((1...3).map { "c,\($0),\($0).mp4,finished," })
        let stage = world.stage
        let outcome = try await Program.run(
            [
                "strace", "-f", "-o", "/dev/null", "-P", "2.mp4", "-e", "trace=openat2", "-e",
                "inject=openat2:error=EACCES", Built.executable("coursefetch").string, "migrate", "manifest",
                stage.folder.at("old/list.csv").string, "--catalog", stage.folder.at("catalog.yaml").string, "--json",
                "--library", stage.library.string, "--state", stage.state.string,
            ], in: stage.folder)
        #expect(
            try MigrationStage.report(outcome).results == ["c/2 failed source", "c/1 added", "c/3 added"],
            "\(outcome.report)\(outcome.output)")
        #expect(outcome.exit == 75)
        await world.host.stop()
    }
}
