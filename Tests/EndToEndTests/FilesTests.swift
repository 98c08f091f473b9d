import Foundation
import SystemPackage
import TestServers
import Testing

@Suite("finished files, for other programs")
struct FilesTests {
    @Test("path prints their paths, open hands one to a program; unfinished and unknown videos are errors")
    func pathAndOpen() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/2000.mp4"),
                videos: [.init(id: "1", title: "One"), .init(id: "2", title: "It's two"), .init(id: "gone")]))
        #expect(try await stage.sync().exit == 1)
        #expect(try await stage.command(["retry", "c/*/1"]).exit == 0)
        let place = stage.library.appending("Course/02 It's two.mp4").string
        // It will be downloaded again, and has its file until then.
        let former = stage.library.appending("Course/01 One.mp4").string

        let path = try await stage.command(["path", "c"])
        #expect(path.exit == 0 && path.output == "\(former)\n\(place)\n", "\(path.report)")
        let nul = try await stage.command(["path", "-0"])
        #expect(nul.output == "\(former)\0\(place)\0")
        let json = try await stage.command(["path", "--json"])
        #expect(json.output.contains("\"path\":\"\(place)\",\"bytes\":2000,\"sha256\":\""), "\(json.report)")
        let waiting = try await stage.command(["path", "c/*/gone"])
        #expect(waiting.exit == 1 && waiting.error.hasPrefix("error: c/*/gone isn't finished"), "\(waiting.report)")
        #expect(try await stage.command(["path", "d"]).exit == 64)

        let open = try await stage.command(["open", "c/*/2", "--with", "printf '%s|' played"])
        #expect(open.exit == 0 && open.output == "played|\(place)|", "\(open.report)")
        let told = try await stage.command(["open", "c/*/2", "--json", "--with", "printf '%s|' played"])
        #expect(told.exit == 0 && told.error == "played|\(place)|", "\(told.report)")
        #expect(
            told.output.contains(#"{"event":"file_opened","time":""#)
                && told.output.contains(#""selector":"c/*/2","path":"\#(place)","program":"printf '%s|' played"}"#),
            "\(told.report)")
        let failed = try await stage.command(["open", "c/*/2", "--json", "--with", "exit 3;"])
        #expect(failed.output.isEmpty)
        #expect(failed.exit == 1 && failed.error == "error: exit 3; ended with exit code 3\n", "\(failed.report)")

        try FileManager.default.removeItem(atPath: place)
        let lost = try await stage.command(["path"])
        #expect(lost.exit == 1 && lost.error.hasPrefix("error: a file is missing: \(place);"), "\(lost.report)")
        await host.stop()
    }
}
