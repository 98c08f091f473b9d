import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("hooks of the settings")
struct HookSyncTests {
    private func start(_ hooks: String) async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.folder.write("retries: 2\nhooks:\n\(hooks)\n", to: "home/.config/coursefetch/config.yaml")
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/2000.mp4"),
                videos: [.init(id: "1", title: "One"), .init(id: "2", title: "Two")]))
        return (stage, host)
    }

    @Test("after-download judges a file before it has its name: a rejected one fails with the reason")
    func judge() async throws {
        let (stage, host) = try await start(
            """
              after-download:
                - tee -a ../../../told | jq -e '.video != "2"' > ../../../verdict || { echo too short >&2; exit 1; }
                - run: test ! -e "../../../library/Course/01 One.mp4"
                  timeout: 20s
            """)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 One.mp4"])
        let failed = try #require(outcome.events("download_failed").first)
        #expect(failed.video == "2" && failed.error?.kind == "rejected_by_hook")
        #expect(failed.error?.message == "an after-download hook rejected the file: too short")
        let told = stage.folder.read("told") ?? ""
        #expect(told.contains("\"final_path\":\"\(stage.library.string)/Course/01 One.mp4\""), "\(told)")
        #expect(told.contains("\"path\":\"\(stage.library.string)/.coursefetch/partials/"))
        #expect(try stage.strays().filter { !$0.hasSuffix(".part") } == [])
        await host.stop()
    }

    @Test("a file that the hook wants again is downloaded once more, and no more than once")
    func again() async throws {
        let (stage, host) = try await start(
            """
              after-download: 'echo x >> ../../../count; test $(wc -l < ../../../count) -gt 1 || exit 75'
            """)
        let outcome = try await stage.sync("catalog.yaml", ["--only", "c/*/1"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(
            outcome.events("download_retrying").first?.error?.message
                == "an after-download hook asked for another download")
        #expect(host.requests().count == 2)
        await host.stop()
    }

    @Test("before-request changes the address and its headers, or refuses")
    func request() async throws {
        let (stage, host) = try await start(
            #"""
              before-request: >-
                jq -c 'if .video == "2" then {verdict: "refuse", reason: "not this one"}
                else {url: (.url | sub("2000"; "3000")), headers: {"X-Mine": "yes"}} end'
            """#)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(
            outcome.events("download_failed").first?.error?.message
                == "a before-request hook refused the request: not this one")
        #expect(host.requests().map(\.path) == ["/media/1/3000.mp4"])
        #expect(outcome.events("download_finished").first?.bytes == 3000)
        await host.stop()
    }

    @Test("mistakes in the settings are reported at their place")
    func mistakes() async throws {
        let (stage, host) = try await start("  after-downlod: x\n")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 64)
        #expect(
            outcome.error.contains(
                """
                config.yaml:3:3: error: there is no hook 'after-downlod'; there are before-request, after-download, on-new, \
                on-failure; did you mean 'after-download'?
                """), "\(outcome.report)")
        await host.stop()
    }
}
