import Foundation
import ProviderHTTP
import ProviderKit
import TestServers
import Testing

/// A browser's session with requests, and with the downloads that they lead to.
@Suite struct CookieTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    private static func jar(_ lines: [(String, path: String, isSecure: Bool, name: String, String)]) -> CookieJar {
        let texts = lines.map { domain, path, isSecure, name, value in
            let flags = [domain.hasPrefix("."), isSecure].map { $0 ? "TRUE" : "FALSE" }
            return [domain, flags[0], path, flags[1], "0", name, value].joined(separator: "\t")
        }
        return CookieJar(texts.joined(separator: "\n"), at: now)
    }

    @Test("each request and each redirect gets the cookies of its own address")
    func redirects() async throws {
        let host = try await FaultHost.start()
        host.script("/target", [.text("here", "text/plain")])
        host.script("/plain", [.text("plain", "text/plain")])
        var client = HTTPClient(settings: HostSettings())
        client.cookies = Self.jar([
            ("127.0.0.1", "/", false, "sid", "s"), ("127.0.0.1", "/target", false, "deep", "d"),
            ("127.0.0.1", "/", true, "tls", "t"), (".example.org", "/", false, "other", "o"),
            ("localhost", "/", false, "local", "l"),
        ])
        let local = host.baseURL.replacing("127.0.0.1", with: "localhost")
        for (place, cookies) in [(host.baseURL, "deep=d; sid=s"), (local, "local=l")] {
            let target = PercentEncoding.encoded(place + "/target")
            let address = try #require(WebAddress("\(host.baseURL)/redirect/1?to=\(target)"))
            _ = try await client.get(address)
            #expect(host.requests().suffix(2).map { $0.fields["cookie"] } == ["sid=s", cookies])
        }
        let plain = try #require(WebAddress(host.baseURL + "/plain"))
        _ = try await client.get(plain, headers: ["cookie": "own=1"])
        #expect(host.requests().last?.fields["cookie"] == "own=1")
        client.cookies = nil
        _ = try await client.get(plain)
        #expect(host.requests().last?.fields["cookie"] == nil)
        await host.stop()
    }

    @Test("tokens have the cookies of each path of the servers that are named, and of no other")
    func tokens() throws {
        let jar = Self.jar([
            (".example.org", "/", false, "sid", "s"), ("cdn.example.org", "/a", false, "deep", "d"),
            ("cdn.example.org", "/a/", true, "tls", #"{"x": 1, "y": 2}"#), ("h", "/", false, "n", "v"),
            ("cdn.example.org", "/q?x", false, "odd", "o"),
        ])
        let addresses = [
            "https://cdn.example.org/a/v.mp4?s=1", "https://cdn.example.org/b", "http://cdn.example.org:81/",
        ]
        let tokens = jar.tokens(for: try addresses.map { try #require(WebAddress($0)) })
        #expect(
            tokens == [
                Token("sid=s", in: .header, name: "Cookie", urlPrefix: "https://cdn.example.org/"),
                Token(
                    #"tls={"x": 1, "y": 2}; deep=d; sid=s"#, in: .header, name: "Cookie",
                    urlPrefix: "https://cdn.example.org/a/"),
                Token("sid=s", in: .header, name: "Cookie", urlPrefix: "http://cdn.example.org:81/"),
                Token("deep=d; sid=s", in: .header, name: "Cookie", urlPrefix: "http://cdn.example.org:81/a/"),
            ])
        #expect(jar.field(for: try #require(WebAddress("https://[::1]/"))) == nil)
    }

    @Test("a session is found by its name in credentials")
    func named() {
        let text = "h\tFALSE\t/\tFALSE\t1794999999\tn\tv\nh\tFALSE\t/\tFALSE\t0\tm\tw\n"
        let credentials = Secret<JSONValue>(["session": .string(text)])
        let jar = CookieJar(named: "session", in: credentials, at: Self.now)
        #expect(jar?.cookies.map(\.name) == ["m"])
        #expect(CookieJar(named: "other", in: credentials, at: Self.now) == nil)
        #expect(CookieJar(named: "session", in: nil, at: Self.now) == nil)
    }
}
