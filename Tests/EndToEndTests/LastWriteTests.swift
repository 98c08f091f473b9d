import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// A row that can't be written: when, and what the run would have ended with.
private struct RefusedRow: CustomTestStringConvertible {
    var what: String
    var trigger: String
    var testDescription: String { what }
}

@Suite("failures at the very end of a run")
struct LastWriteTests {
    private static let last = [
        RefusedRow(
            what: "that all extras are there",
            trigger: "BEFORE UPDATE OF stored_extras ON downloads WHEN NEW.stored_extras IS NOT NULL"),
        RefusedRow(what: "the end of the run", trigger: "BEFORE UPDATE OF ended_at ON runs"),
    ]

    @Test("a last row that can't be written ends a run with 73 instead of 0", arguments: last)
    fileprivate func finished(_ refused: RefusedRow) async throws {
        let (stage, host) = try await start("/media/{id}/20000.mp4")
        try edit(stage, refused)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(outcome.summary?.errors?.first?.message.contains("state.sqlite") == true, "\(outcome.report)")
        try await recovers(stage, host)
    }

    @Test("a suspension that can't be written ends a run with 73 instead of 75")
    func suspended() async throws {
        let (stage, host) = try await start("/media/{id}/2000000.mp4")
        try edit(
            stage,
            RefusedRow(what: "", trigger: "BEFORE UPDATE OF state ON downloads WHEN NEW.state = 'suspended'"))
        let outcome = try await stage.sync("catalog.yaml", ["--limit-rate", "20K"]) { running in
            try await running.wait { $0.event == "progress" }
            try await running.signal(SIGTERM)
        }
        #expect(outcome.exit == 73, "\(outcome.report)")
        try await recovers(stage, host)
    }

    @Test("a renewed token that can't be stored ends a run with 73 instead of 0")
    func credentials() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let url = host.url("/media/{id}/20000.mp4")
        try stage.catalog(CatalogText(provider: "recorder", url: url, videos: [.init(id: "1")]))
        #expect(try await stage.sync().exit == 0)
        let user = try #require(
            try FileManager.default.contentsOfDirectory(atPath: stage.state.appending("users").string).first)
        // What no file can be opened at.
        try stage.folder.make("state/users/\(user)/credentials.lock")
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: url, parameters: ["answer": "{credentials: {token: renewed}}"],
                videos: [.init(id: "1"), .init(id: "2")]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(
            outcome.summary?.errors?.contains { $0.message.contains("can't store the new credentials") } == true,
            "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths.count == 2)
        await host.stop()
    }

    // MARK: what they share

    /// A first video that is finished, so that there is a state; a second one with an attachment that isn't.
    private func start(_ path: String) async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        var second = CatalogText.Video(id: "2")
        second.extra = ["attachments: [{title: Notes, url: \"\(host.url("/media/9/2000.mp4"))\"}]"]
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: [.init(id: "1"), second]))
        #expect(try await stage.sync("catalog.yaml", ["--only", "c/*/1"]).exit == 0)
        try stage.catalog(CatalogText(url: host.url(path), videos: [.init(id: "1"), second]))
        return (stage, host)
    }

    private func edit(_ stage: Stage, _ refused: RefusedRow) throws {
        try StateCopy.edit(
            stage.state, "CREATE TRIGGER refused \(refused.trigger) BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }

    private func recovers(_ stage: Stage, _ host: FaultHost) async throws {
        try StateCopy.edit(stage.state, "DROP TRIGGER refused")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths.count == 3)
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
