import Checkout
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("the demonstration")
struct DemoSyncTests {
    @Test("it shows expiry and resume for real; the second run transfers nothing and starts no plugin")
    func twice() async throws {
        try await Tool.strace.require()
        let stage = try Stage()
        let catalog = Checkout.path("catalogs/demo.yaml")
        let arguments = [
            "sync", catalog, "--json", "--library", stage.library.string, "--state", stage.state.string,
        ]
        let first = try await Program.coursefetch(arguments, in: stage.folder, limit: 120)
        #expect(first.exit == 0, "\(first.report)")
        #expect(first.events("warning").isEmpty, "\(first.report)")
        #expect(first.events("download_started").contains { ($0.resumeFrom ?? 0) > 0 }, "a resumed file")
        #expect(first.events("resolved").contains { $0.reason != "first" }, "a link that expired")
        let files = LibraryFiles(stage.library).paths
        for kind in [".mp4", ".vtt", ".jpg", ".pdf"] { #expect(files.contains { $0.hasSuffix(kind) }, "\(kind)") }
        #expect(first.events("course_listed").map(\.videos) == [2], "\(first.report)")
        #expect(files.contains { $0.hasPrefix("Everything/02 The tides.") }, "\(files)")
        #expect(try stage.strays() == [])

        let trace = stage.folder.at("execve.log").string
        let second = try await Program.run(
            ["strace", "-f", "-q", "-o", trace, "-e", "trace=execve,connect"]
                + [Built.executable("coursefetch").string] + arguments, in: stage.folder)
        #expect(second.exit == 0, "\(second.report)")
        #expect(second.events.map(\.event) == ["sync_started", "sync_finished"])
        let calls = (stage.folder.read("execve.log") ?? "").split(separator: "\n")
        #expect(calls.count { $0.contains("execve(") } == 1, "\(calls)")
        #expect(!calls.contains { $0.contains("AF_INET") }, "\(calls)")
    }
}
