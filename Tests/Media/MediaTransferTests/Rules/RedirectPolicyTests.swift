import MediaTransfer
import Testing

@Suite struct RedirectPolicyTests {
    @Test(
        "resolves every kind of reference, as a browser does",
        arguments: [
            ("http://h/a/b?x=1", "c", "http://h/a/c"), ("http://h/a/b", "/c?y=2", "http://h/c?y=2"),
            ("http://h/a/b", "//other/c", "http://other/c"),
            ("http://h/a/b", "https://other:8443/", "https://other:8443/"),
            ("http://h/a/b?x=1", "?y=2", "http://h/a/b?y=2"), ("http://h/a/b/", "../c", "http://h/a/c"),
            ("http://h/a", "/b c", "http://h/b%20c"), ("http://h/a", "/b#part", "http://h/b"),
            ("http://h:8080/a", "/b", "http://h:8080/b"),
            ("http://h/a", "/sig?k=%2B%2f%2F==", "http://h/sig?k=%2B%2f%2F=="),
        ])
    func references(_ base: String, _ location: String, _ expected: String) throws {
        var policy = try #require(RedirectPolicy(url: base))
        #expect(policy.follow(location) == nil)
        #expect(policy.current.text == expected)
    }

    @Test(
        "refuses redirects that must not be followed",
        arguments: [
            ("http://h/a", nil, .noLocation), ("http://h/a", "", .noLocation), ("http://h/a", "http://", .badLocation),
            ("http://h/a", "ftp://h/b", .unsupportedScheme), ("http://h/a", "file:///etc/passwd", .badLocation),
            ("https://h/a", "http://h/a", .downgrade), ("http://h/a", "http://u:p@h/b", .credentials),
            ("http://h/a", "/a", .loop), ("http://h/a", "#x", .loop), ("http://h/a", "http://h\u{1}/", .badLocation),
        ] as [(String, String?, RedirectProblem)])
    func refusals(_ base: String, _ location: String?, _ problem: RedirectProblem) throws {
        var policy = try #require(RedirectPolicy(url: base))
        #expect(policy.follow(location) == problem)
        #expect(policy.current.text == base)
    }

    @Test("follows ten redirects and not eleven")
    func bound() throws {
        var policy = try #require(RedirectPolicy(url: "http://h/"))
        for hop in 1...RedirectProblem.mostHops { #expect(policy.follow("/\(hop)") == nil) }
        #expect(policy.hops == 10)
        #expect(policy.follow("/11") == .tooMany)
    }

    @Test("detects a loop through several URLs")
    func loop() throws {
        var policy = try #require(RedirectPolicy(url: "http://h/a"))
        #expect(policy.follow("/b") == nil)
        #expect(policy.follow("http://i/a") == nil)
        #expect(policy.follow("http://h/a") == .loop)
    }

    private var request: TransferRequest {
        var request = TransferRequest(url: "https://h/a?x=1")
        request.fields = [HTTPField(name: "Referer", value: "r"), HTTPField(name: "cookie", value: "c")]
        let origins = ["https://h/", "https://cdn:8443/"].compactMap(Origin.init(url:))
        request.secrets = [
            ScopedSecret(.field(HTTPField(name: "X-Token", value: "t")), for: origins.map { URLScope($0) }),
            ScopedSecret(.query(.init(name: "to ken", value: "s&t")), for: origins.map { URLScope($0) }),
        ]
        request.trustedOrigins = Set(origins)
        return request
    }

    @Test(
        "a token goes to trusted origins only",
        arguments: [
            ("https://h:443/b", true), ("https://cdn:8443/b", true), ("https://cdn/b", false),
            ("https://evil/b", false),
            ("https://H/b", true), ("https://h.evil/b", false), ("https://h:444/b", false),
        ])
    func tokens(_ location: String, _ isTrusted: Bool) throws {
        let request = request
        var policy = try #require(RedirectPolicy(url: request.url))
        #expect(policy.url(for: request) == "https://h/a?x=1&to%20ken=s%26t")
        #expect(policy.follow(location) == nil)
        let names = policy.fields(for: request).map(\.name)
        #expect(names == (isTrusted ? ["Referer", "cookie", "X-Token"] : ["Referer"]))
        #expect(policy.url(for: request).contains("s%26t") == isTrusted)
    }

    @Test("an http origin is never the https one")
    func scheme() throws {
        var request = request
        request.url = "http://h/a"
        let policy = try #require(RedirectPolicy(url: request.url))
        #expect(policy.fields(for: request).map(\.name) == ["Referer"])
        #expect(policy.url(for: request) == "http://h/a")
    }

    @Test("a query item that the URL already has is not added again")
    func queryOnce() throws {
        var request = request
        request.url = "https://h/?to%20ken=old"
        let policy = try #require(RedirectPolicy(url: request.url))
        #expect(policy.url(for: request) == "https://h/?to%20ken=old")
    }

    @Test("credentials in the URL become a header for its origin, and are removed from the URL")
    func credentials() throws {
        let request = TransferRequest(url: "https://us%40er:pass@h/a")
        var policy = try #require(RedirectPolicy(url: request.url))
        #expect(policy.url(for: request) == "https://h/a")
        #expect(policy.fields(for: request) == [HTTPField(name: "Authorization", value: "Basic dXNAZXI6cGFzcw==")])
        #expect(policy.follow("https://other/") == nil)
        #expect(policy.fields(for: request).isEmpty)
    }

    @Test(
        "takes absolute http and https URLs only",
        arguments: ["", "h/a", "/a", "ftp://h/", "file:///x", "http://", "http://h:99999/", "http://h/\n"])
    func nonsense(_ url: String) {
        #expect(RedirectPolicy(url: url) == nil)
        #expect(Origin(url: url) == nil)
    }

    @Test("origins compare in lower case with their default ports")
    func origins() {
        #expect(Origin(url: "HTTPS://Example.ORG/x") == Origin(url: "https://example.org:443"))
        #expect(Origin(url: "http://h") != Origin(url: "https://h"))
        #expect(Origin(url: "http://[::1]:80/")?.host == "[::1]")
        #expect(Origin(url: "http://u:p@h/")?.description == "http://h:80")
    }

    @Test(
        "signed URLs are requested unchanged",
        arguments: [
            "http://h/a%2Fb%2fc?sig=a%2Bb%2bc/+~==&X-Amz-Date=20260101T000000Z", "http://h/%E4%B8%AD?q=%E4%b8%ad",
            "http://h/a;b=c,d/e:f@g?h=[1]&i={2}|3",
        ])
    func untouched(_ url: String) throws {
        #expect(try #require(RedirectPolicy(url: url)).url(for: TransferRequest(url: url)) == url)
    }
}
