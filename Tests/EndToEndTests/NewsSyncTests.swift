import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("notifications of new videos")
struct NewsSyncTests {
    private func start(_ settings: String) async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.folder.write(settings, to: "home/.config/coursefetch/config.yaml")
        let catalog = CatalogText(
            url: host.url("/media/{id}/2000.mp4"), videos: [.init(id: "1", title: "One"), .init(id: "2", title: "Two")])
        try stage.catalog(catalog)
        return (stage, host, catalog)
    }

    @Test("on-new gets each video once, course by course, whatever happens to its file later")
    func once() async throws {
        var (stage, host, catalog) = try await start("hooks: {on-new: 'jq -c . >> ../../../news'}\n")
        #expect(try await stage.sync().exit == 0)
        #expect(
            stage.folder.read("news") == """
                {"course":"c","hook":"on-new","message":"2 new lectures in Course","schema":1,"title":"Course","videos":\
                [{"bytes":2000,"path":"\(stage.library.string)/Course/01 One.mp4","title":"One","video":"1"},\
                {"bytes":2000,"path":"\(stage.library.string)/Course/02 Two.mp4","title":"Two","video":"2"}]}

                """)
        try FileManager.default.removeItem(atPath: stage.library.appending("Course/01 One.mp4").string)
        #expect(try await stage.sync().exit == 0)
        catalog.courses[0].videos.append(.init(id: "3", title: "Three"))
        try stage.catalog(catalog)
        #expect(try await stage.sync().exit == 0)
        let lines = (stage.folder.read("news") ?? "").split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.contains("\"message\":\"1 new lecture in Course\"") == true, "\(lines)")
        await host.stop()
    }

    @Test("a run without hooks notifies nobody, and a later hook gets nothing old")
    func later() async throws {
        let (stage, host, _) = try await start("jobs: 2\n")
        #expect(try await stage.sync().exit == 0)
        try stage.folder.write("hooks: {on-new: 'cat >> ../../../news'}\n", to: "home/.config/coursefetch/config.yaml")
        #expect(try await stage.sync().exit == 0)
        #expect(!stage.folder.has("news"))
        await host.stop()
    }

    @Test("a hook that fails is a warning, and is not run again")
    func failing() async throws {
        let (stage, host, _) = try await start("hooks: {on-new: 'echo no mail today >&2; exit 1'}\n")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0)
        #expect(
            outcome.events("warning").map(\.message) == ["an on-new hook failed for Course: no mail today"],
            "\(outcome.report)")
        #expect(try await stage.sync().events("warning").isEmpty)
        await host.stop()
    }

    /// Takes posts, keeps them in `posts`, and refuses those for `/refused`.
    private static let receiver = #"""
        import http.server, os
        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                open("posts", "a").write(f"{self.path} {self.headers['Content-Type']} {body}\n")
                self.send_response(404 if self.path.startswith("/refused") else 200)
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        open("port.new", "w").write(str(server.server_port))
        os.rename("port.new", "port")
        server.serve_forever()
        """#

    @Test("a notification is posted; if it is rejected a warning names the host, never the address")
    func notify() async throws {
        let (stage, host, _) = try await start("jobs: 2\n")
        try stage.folder.write(Self.receiver, to: "receiver.py")
        _ = try await Program.run(["python3", "receiver.py"], in: stage.folder) { running in
            while !stage.folder.has("port") { try await Task.sleep(for: .milliseconds(20)) }
            let base = "http://127.0.0.1:\(stage.folder.read("port") ?? "")"
            try stage.folder.write(
                """
                notify:
                  - {url: "\(base)/refused?key=s3cret", format: ntfy}
                  - {url: "\(base)/hook/s3cret", format: slack}
                """, to: "home/.config/coursefetch/config.yaml")
            let outcome = try await stage.sync()
            #expect(outcome.exit == 0)
            #expect(
                outcome.events("warning").map(\.message) == [
                    "the notification about Course wasn't sent: 127.0.0.1 answered 404"
                ], "\(outcome.report)")
            #expect(!outcome.report.contains("s3cret"))
            try await running.signal(SIGTERM)
        }
        #expect(
            stage.folder.read("posts") == """
                /refused?key=s3cret text/plain; charset=utf-8 2 new lectures in Course
                • One
                • Two
                /hook/s3cret application/json {"text":"2 new lectures in Course\\n• One\\n• Two"}

                """)
        await host.stop()
    }

    @Test("mistakes in the settings are reported at their place")
    func mistakes() async throws {
        let (stage, host, _) = try await start("notify: [{url: 'https://h/x', format: slak}]\n")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 64)
        #expect(
            outcome.error.contains(
                "config.yaml:1:39: error: 'format' is one of json, ntfy, slack, discord, healthchecks; did you mean "
                    + "'slack'?"),
            "\(outcome.report)")
        await host.stop()
    }
}
