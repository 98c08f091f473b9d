import Foundation
import MediaTransfer
import TestServers
import Testing
import TextFormats

@Suite struct RedirectTransferTests {
    private let content = TestContent(seed: 6, size: 50_000)

    private func encoded(_ text: String) -> String { PercentEncoding.encoded(text) }

    @Test("range and condition are sent with every hop", arguments: [301, 302, 303, 307, 308])
    func hops(_ status: Int) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let url = host.url("/redirect/3?status=\(status)&to=" + encoded(host.url(content)))
        try await bench.expect(url, content, at: 20_000, .etag("\"6-50000\""), fails: nil, written: 30_000)
        #expect(host.requests().count == 5)
        #expect(host.requests().allSatisfy { $0.rangeStart == 20_000 && $0.fields["if-range"] == "\"6-50000\"" })
        #expect(host.connections == 1)
        await bench.finish()
        await host.stop()
    }

    @Test("the token stays at its origin, and is sent again on the way back")
    func tokens() async throws {
        let (home, foreign) = (try await FaultHost.start(), try await FaultHost.start())
        let bench = try Workbench()
        // From home to a stranger and back.
        let back = home.url(content, "token=canary")
        let away = foreign.url("/redirect/0?to=" + encoded(back))
        let report = try await bench.expect(
            home.url("/redirect/0?to=" + encoded(away)), content, fails: nil
        ) { request in
            request.fields = [HTTPField(name: "Referer", value: "http://course/")]
            let scopes = [home.baseURL].compactMap { URLScope(prefix: $0) }
            request.secrets = [
                ScopedSecret(.field(HTTPField(name: "Authorization", value: "Bearer canary")), for: scopes),
                ScopedSecret(.query(.init(name: "key", value: "canary")), for: scopes),
            ]
        }
        #expect(report.head?.origin == Origin(url: home.baseURL))
        let stranger = try #require(foreign.requests().first)
        #expect(stranger.fields["referer"] == "http://course/")
        #expect(stranger.fields["authorization"] == nil)
        #expect(!stranger.target.contains("key="))
        #expect(home.requests().count == 2)
        #expect(
            home.requests().allSatisfy { $0.fields["authorization"] == "Bearer canary" && $0.query["key"] == "canary" })
        await bench.finish()
        await home.stop()
        await foreign.stop()
    }

    @Test("loops, long chains and invalid redirects end")
    func nonsense() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let to = "to=" + encoded(host.url(content))
        for (target, problem) in [
            ("/redirect/loop", RedirectProblem.loop), ("/redirect/20?\(to)", .tooMany), ("/redirect/0", .noLocation),
            ("/redirect/0?to=ftp://h/", .unsupportedScheme), ("/redirect/0?to=http://u:p@h/", .credentials),
        ] {
            try await bench.expect(host.url(target), content, fails: .redirect(problem), written: 0)
        }
        try await bench.expect(
            host.url("/redirect/0?double=location&\(to)"), content,
            fails: .badResponse(.duplicateField("location")), written: 0)
        #expect(host.requests().filter { $0.path.hasPrefix("/media") }.isEmpty)
        await bench.finish()
        await host.stop()
    }

    @Test("a redirect goes on at once, however long its body takes", arguments: ["stall", "endless"])
    func body(_ body: String) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let url = host.url("/redirect/2?body=\(body)&to=" + encoded(host.url(content)))
        let report = try await bench.expect(url, content, fails: nil) { $0.stallTimeout = .seconds(300) }
        // Far below what the body would take.
        #expect(report.seconds < 60)
        await bench.finish()
        await host.stop()
    }

    @Test("a host whose name isn't ASCII is requested in punycode")
    func internationalName() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        // libcurl knows itself that names below localhost are this machine.
        let url = "http://bücher.localhost:\(host.port)"
        let path = "/media/\(content.seed)/\(content.size).mp4"
        let report = try await bench.expect(url + path, content, fails: nil)
        #expect(report.head?.origin.host == "bücher.localhost")
        try await bench.expect(url + "/redirect/0?to=" + encoded(url + path), content, fails: nil)
        #expect(host.requests().count == 3)
        #expect(host.requests().allSatisfy { $0.fields["host"] == "xn--bcher-kva.localhost:\(host.port)" })
        await bench.finish()
        await host.stop()
    }

    @Test("a page behind a redirect looks like a login")
    func login() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let page = host.url(content, "type=text/html")
        try await bench.expect(
            host.url("/redirect/0?to=" + encoded(page)), content, fails: .refused(status: 200, .login), written: 0)
        await bench.finish()
        await host.stop()
    }
}
