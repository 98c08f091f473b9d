import MediaTransfer
import Testing

@Suite("secrets and the URLs that get them")
struct ScopedSecretTests {
    private func fields(_ url: String, _ secrets: [(String, String)]) throws -> [String] {
        var request = TransferRequest(url: url)
        request.secrets = try secrets.map { prefix, value in
            ScopedSecret(
                .field(HTTPField(name: "Authorization", value: value)), for: [try #require(URLScope(prefix: prefix))])
        }
        return try #require(RedirectPolicy(url: url)).fields(for: request).map(\.value)
    }

    @Test(
        "the longest path wins, by whole components of it",
        arguments: [
            ("https://h/a/b/c.mp4", ["deep"]), ("https://h/a/b", ["deep"]), ("https://h/a/bc.mp4", ["one"]),
            ("https://h/a?x=/a/b", ["one"]), ("https://h/ab", ["host"]), ("https://h/", ["host"]),
            ("https://h", ["host"]), ("https://h:8443/a/b/c", []), ("http://h/a/b/c", []), ("https://h.x/a/b/c", []),
        ])
    func longest(_ url: String, _ expected: [String]) throws {
        let secrets = [("https://h", "host"), ("https://h/a/b/", "deep"), ("https://h/a", "one")]
        #expect(try fields(url, secrets) == expected)
    }

    @Test(
        "a path with steps in it, encoded or not, gets no secret of a path",
        arguments: [
            "https://h/a/%2e%2e/b", "https://h/a/x%2F..%2Fb", "https://h/a/%2E/b", "https://h/a/..%5cb",
            "https://h/a/..\\b",
        ])
    func steps(_ url: String) throws {
        #expect(try fields(url, [("https://h/a", "path")]) == [])
        #expect(try fields(url, [("https://h/a", "path"), ("https://h", "host")]) == ["host"])
    }

    @Test("a step that libcurl resolves itself is where it leads")
    func resolved() throws {
        #expect(try fields("https://h/a/../b", [("https://h/a", "path")]) == [])
        #expect(try fields("https://h/x/../a/b", [("https://h/a", "path")]) == ["path"])
    }

    @Test("all cookies are one field, and each part of a signed query is added")
    func several() throws {
        let url = "https://h/v/1.ts?x=1"
        let scope = try #require(URLScope(prefix: "https://h/v/"))
        var request = TransferRequest(url: url)
        request.fields = [HTTPField(name: "cookie", value: "theme=dark")]
        request.trustedOrigins = Set([Origin(url: url)].compactMap(\.self))
        request.secrets = [
            ScopedSecret(.cookie(name: "Policy", value: "p"), for: [scope]),
            ScopedSecret(.cookie(name: "Signature", value: "s"), for: [scope]),
            ScopedSecret(.query(.init(name: "k", value: "a b")), for: [scope]),
            ScopedSecret(.query(.init(name: "x", value: "2")), for: [scope]),
            ScopedSecret(.query(.init(name: "l", value: "c")), for: [scope]),
        ]
        let policy = try #require(RedirectPolicy(url: url))
        #expect(policy.url(for: request) == "https://h/v/1.ts?x=1&k=a%20b&l=c")
        #expect(
            policy.fields(for: request) == [HTTPField(name: "Cookie", value: "theme=dark; Policy=p; Signature=s")])
        // A browser's session is a field, too.
        request.secrets = [ScopedSecret(.field(HTTPField(name: "Cookie", value: "sid=s; b=c")), for: [scope])]
        #expect(policy.fields(for: request) == [HTTPField(name: "Cookie", value: "theme=dark; sid=s; b=c")])
    }
}
