import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("catalogs at addresses", .timeLimit(.minutes(5)))
struct CatalogAddressTests {
    private static let one = "version: 1\ncourses: [{id: a, provider: direct, videos: [v], cover: pictures/a 1.jpg}]\n"

    private func check(_ stage: Stage, _ address: String) async throws -> Outcome {
        try await Program.coursefetch(["check", address, "--no-plugins"], in: stage.folder)
    }

    @Test("it is fetched once, then only if it has changed; while it is unreachable the last copy is used")
    func copies() async throws {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        try stage.folder.write(Self.one, to: "site/c.yaml")
        try nginx.add(folder: stage.folder.at("site").string, as: "site")
        let address = nginx.url("/plain/site/c.yaml")
        let first = try await check(stage, address)
        #expect(first.output == "1 video in 1 course, no mistakes\n", "\(first.report)")
        #expect(try await check(stage, address).exit == 0)
        #expect(try nginx.log().map(\.status) == [200, 304])

        try stage.folder.write(Self.one.replacing("[v]", with: "[v, w]"), to: "site/c.yaml")
        #expect(try await check(stage, address).output == "2 videos in 1 course, no mistakes\n")

        // Whatever type a page or an error has: the copy is as it was.
        for wrong in [
            "<!doctype html><title>Log in</title>", #"{"error": "maintenance"}"#, "version: 1\ncourses: []\n",
        ] {
            try stage.folder.write(wrong, to: "site/c.yaml")
            let outcome = try await check(stage, address)
            #expect(outcome.exit == 0 && outcome.output == "2 videos in 1 course, 1 warning\n", "\(outcome.report)")
        }
        try stage.folder.write(Self.one.replacing("videos", with: "vidoes"), to: "site/c.yaml")
        let mistaken = try await check(stage, address)
        #expect(mistaken.exit == 65 && mistaken.error.contains("did you mean 'videos'?"), "\(mistaken.report)")

        await nginx.stop()
        let away = try await check(stage, address)
        #expect(away.exit == 0 && away.output == "2 videos in 1 course, 1 warning\n")
        #expect(
            away.error.contains(
                /^http:\/\/127\.0\.0\.1:\d+\/plain\/site\/c\.yaml: warning: can't be fetched: .+; using the copy of \d{4}-\d\d-\d\d \d\d:\d\d\n$/
            ), "\(away.error)")
        let other = try await check(stage, nginx.url("/plain/site/d.yaml"))
        #expect(other.exit == 66 && other.error.contains("/d.yaml: error: can't be fetched: "), "\(other.report)")
    }

    @Test("a web page is no catalog, and replaces none; nor does a file that arrives too slowly")
    func pages() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        host.script("/c.yaml", [.text(Self.one, "text/plain"), .text("<html></html>", "text/html"), .status(503)])
        let address = host.url("/c.yaml")
        #expect(try await check(stage, address).exit == 0)
        let page = try await check(stage, address)
        #expect(page.exit == 0)
        #expect(page.error.contains("the server sent a web page instead of a catalog; is a login needed?; using"))
        #expect(try await check(stage, address).error.contains("503"))
        await host.stop()
    }

    @Test("a password and a query go to the host only: neither to the screen nor into the state")
    func secrets() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let catalog = CatalogText(url: host.url("/media/{id}/2000.mp4"), videos: [.init(id: "1")]).text
        host.script("/c.yaml", [.text(catalog, "application/yaml")])
        let address = host.url("/c.yaml?token=CANARY-query").replacing("://", with: "://alice:CANARY-password@")
        let report = stage.folder.at("report.json").string
        let sync = try await stage.run(["sync", address, "--json", "--report", report])
        #expect(sync.exit == 0, "\(sync.report)")
        let shown = host.url("/c.yaml?…")
        #expect(sync.output.contains("\"catalogs\":[\"\(shown)\"]"), "\(sync.output)")
        for text in [sync.output, sync.error, stage.folder.read("report.json") ?? "CANARY"] {
            #expect(!text.contains("CANARY"), "\(text)")
        }
        for name in stage.folder.names() where name.hasPrefix("state/") {
            let bytes = FileManager.default.contents(atPath: stage.folder.at(name).string) ?? Data()
            #expect(bytes.range(of: Data("CANARY".utf8)) == nil, "\(name)")
        }
        // It isn't a file that could be missing.
        let doctor = try await stage.command(["doctor"])
        #expect(!doctor.output.contains("no longer exists") && !doctor.output.contains("CANARY"), "\(doctor.report)")
        // The same catalog, whatever the password; another one with another query.
        let forgotten = try await stage.command(["forget", address])
        #expect(forgotten.exit == 0, "\(forgotten.report)")
        #expect(!stage.folder.names().contains { $0.hasPrefix("state/catalogs/") && $0.hasSuffix(".yaml") })
        // As it is named there, it can be named again.
        #expect(try await stage.run(["sync", address]).exit == 0)
        let name = try #require(forgotten.output.firstMatch(of: #/forgot ([^ ]+): /#)?.1)
        #expect(try await stage.command(["forget", String(name)]).exit == 0, "\(name)")
        await host.stop()
    }

    @Test("an include in it is refused at its line; a cover beside it is fetched from its address")
    func relative() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        host.script("/x/c.yaml", [.text("version: 1\ninclude: b.yaml\n", "text/plain")])
        let including = try await check(stage, host.url("/x/c.yaml"))
        #expect(including.exit == 65)
        #expect(
            including.error.contains(
                "/x/c.yaml:2:10: error: a catalog from an address can't include others; name each address where this one is"
            ), "\(including.report)")
        #expect(including.error.contains("\n    include: b.yaml\n"), "\(including.report)")

        host.script(
            "/x/d.yaml",
            [
                .text(
                    """
                    version: 1
                    courses: [{id: a, title: A, provider: direct, parameters: {url: "\(host.url("/media/{id}/2000.mp4"))"}, \
                    videos: [1], cover: pictures/a 1.jpg}]
                    """, "text/plain")
            ])
        host.script("/x/pictures/a%201.jpg", [.bytes([0xFF, 0xD8, 0xFF], "image/jpeg")])
        let sync = try await stage.run(["sync", host.url("/x/d.yaml"), "--json"])
        #expect(sync.exit == 0, "\(sync.report)")
        #expect(LibraryFiles(stage.library).paths.contains("A/cover.jpg"), "\(sync.report)")
        await host.stop()
    }
}
