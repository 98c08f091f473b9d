import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("a lost state with an existing library")
struct LostStateTests {
    @Test("library adopt --rebuild restores the state from the library's own list, and the next sync asks nobody")
    func lost() async throws {
        let (stage, host, _) = try await synced()
        let before = LibraryFiles(stage.library).digests
        let requests = host.requests().count
        try stage.folder.remove("state")
        let adopted = try await stage.command(["library", "adopt", "--rebuild"])
        #expect(adopted.exit == 0 && adopted.output.contains("4 videos are known again"), "\(adopted.report)")
        #expect(host.requests().count == requests)
        let next = try await stage.sync()
        #expect(next.exit == 0 && next.events("download_finished").isEmpty, "\(next.report)")
        #expect(next.events("download_moved").isEmpty)
        #expect(host.requests().count == requests, "\(host.requests().dropFirst(requests).map(\.path))")
        #expect(LibraryFiles(stage.library).digests == before)
        #expect(try await stage.command(["verify"]).exit == 0)
        #expect(try stage.strays() == [])
        let list = try #require(stage.folder.read("library/.coursefetch/files.jsonl"))
        #expect(!list.contains("http") && !list.contains("127.0.0.1"))
        await host.stop()
    }

    @Test("a backup of the state that is older than the library: the list has the rest")
    func older() async throws {
        let (stage, host, catalog) = try await synced()
        try FileManager.default.copyItem(atPath: stage.state.string, toPath: stage.folder.at("backup").string)
        var longer = catalog
        longer.courses[0].videos += [.init(id: "5", title: "Five"), .init(id: "6", title: "Six")]
        longer.courses[0].videos[0].title = "Another name"
        try stage.catalog(longer)
        #expect(try await stage.sync().exit == 0)
        let (before, requests) = (LibraryFiles(stage.library).digests, host.requests().count)
        try stage.folder.remove("state")
        try stage.folder.move("backup", to: "state")
        let adopted = try await stage.command(["library", "adopt", "--rebuild"])
        #expect(adopted.exit == 0, "\(adopted.report)")
        let next = try await stage.sync()
        #expect(next.exit == 0 && host.requests().count == requests, "\(next.report)")
        #expect(LibraryFiles(stage.library).digests == before)
        await host.stop()
    }

    @Test(
        "without the list, a file in place with the catalog's SHA-256 is adopted before anything is requested")
    func standing() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/20000.mp4"),
                videos: (1...3).map { number in
                    let content = TestContent(seed: UInt64(number), size: 20_000)
                    return .init(id: "\(number)", extra: ["sha256: \(content.sha256Text)"])
                }))
        #expect(try await stage.sync().exit == 0)
        let before = LibraryFiles(stage.library).digests
        let requests = host.requests().count
        try stage.folder.remove("state")
        try stage.folder.remove("library/.coursefetch")
        // One isn't what it says.
        try stage.folder.write(String(repeating: "x", count: 20_000), to: "library/Course/02 2.mp4")
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        #expect(host.requests().count == requests + 1)
        let after = LibraryFiles(stage.library).digests
        #expect(after.count == 4 && after["Course/01 1.mp4"] == before["Course/01 1.mp4"])
        #expect(next.events("download_finished").count == 3)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("the provider's size and SHA-256 are enough as well: the provider is asked, its host isn't")
    func standingByProvider() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let content = TestContent(seed: 1, size: 20_000)
        let answer = "{sha256: \(CatalogText.quoted(content.sha256Text)), size: 20000}"
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url("/media/{id}/20000.mp4"), parameters: ["answer": answer],
                videos: [.init(id: "1")]))
        #expect(try await stage.sync().exit == 0)
        try stage.folder.remove("state")
        try stage.folder.remove("library/.coursefetch")
        let next = try await stage.sync()
        #expect(next.exit == 0 && next.events("download_finished").count == 1, "\(next.report)")
        #expect(host.requests().count == 1)
        #expect(LibraryFiles(stage.library).digests == ["Course/01 1.mp4": content.sha256Text])
        await host.stop()
    }

    /// Four videos in a course with a chapter, covers, an attachment and subtitles.
    private func synced() async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let notes = host.url("/media/8/900.pdf?type=application/pdf")
        var catalog = CatalogText(
            url: host.url("/media/{id}/20000.mp4"),
            courses: [
                .init(
                    id: "c", title: "Course",
                    videos: [
                        .init(id: "1", title: "One"),
                        .init(
                            id: "2", title: "Two",
                            extra: ["attachments: [{title: Notes, url: \"\(notes)\"}]"]),
                    ], chapters: [("x", "Chapter", [.init(id: "3", title: "One"), .init(id: "4", title: "One")])])
            ])
        catalog.courses[0].extra = ["cover: \"\(host.url("/media/9/800.jpg?type=image/jpeg"))\""]
        try stage.catalog(catalog)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        return (stage, host, catalog)
    }
}
