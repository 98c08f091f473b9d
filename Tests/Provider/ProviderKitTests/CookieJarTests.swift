import Foundation
import Testing

@testable import ProviderKit

@Suite("A browser's session")
struct CookieJarTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)
    private static let server = CookieJar.Server(host: "media.example.org", isSecure: true)

    private func read(_ text: String, for server: CookieJar.Server? = Self.server) throws(CookieMistake) -> CookieJar {
        try CookieJar.read(text, for: server, from: "endpoint", at: Self.now)
    }

    private func line(
        _ domain: String, _ flag: String = "FALSE", _ path: String = "/", _ secure: String = "FALSE",
        _ end: String = "0", _ name: String = "n", _ value: String = "v"
    ) -> String {
        [domain, flag, path, secure, end, name, value].joined(separator: "\t") + "\n"
    }

    @Test("a file is read whatever its line ends, comments and order, and written in one form")
    func file() throws {
        let text =
            "\u{FEFF}# Netscape HTTP Cookie File\r\n#x\r\n\r\n#HttpOnly_"
            + line(".H.example.org", "TRUE", "/a", "TRUE", "1800000000.7")
            + line("other.example.org", "false", "", "FALSE", "-1", "a", #"{"b": "c, d"} é"#)
            + "e.example.org\tFALSE\t/\tFALSE\t\tempty"
        let jar = try read(text)
        let written =
            "# Netscape HTTP Cookie File\n#HttpOnly_.h.example.org\tTRUE\t/a\tTRUE\t1800000000\tn\tv\n"
            + "other.example.org\tFALSE\t/\tFALSE\t0\ta\t{\"b\": \"c, d\"} é\ne.example.org\tFALSE\t/\tFALSE\t0\tempty\t\n"
        #expect(jar.text == written)
        #expect(CookieJar(written, at: Self.now) == jar)
        #expect(try read(written) == jar)
        #expect(jar.lastExpiry == Date(timeIntervalSince1970: 1_800_000_000))
        #expect("\(jar) \(jar.cookies)".contains("v\"") == false)
    }

    @Test("what has expired, has no name or comes again is left out")
    func leftOut() throws {
        let jar = try read(
            line("h", "FALSE", "/", "FALSE", "1794999999", "old") + line("h", "FALSE", "/", "FALSE", "0", "")
                + line("h", "FALSE", "/", "FALSE", "0", "a", "1") + line("h", "FALSE", "/b", "FALSE", "0", "a", "2")
                + line("H", "FALSE", "/", "FALSE", "0", "a", "3"))
        #expect(jar.cookies.map(\.value) == ["3", "2"])
        #expect(CookieJar(jar.text + line("h", "FALSE", "/", "FALSE", "1794999999", "old"), at: Self.now) == jar)
    }

    @Test(
        "a host gets the cookies for it and those above it that allow it",
        arguments: [
            (".example.org", "TRUE", "example.org", true), (".example.org", "TRUE", "A.Example.org", true),
            (".example.org", "TRUE", "badexample.org", false), (".example.org", "TRUE", "example.org.evil.net", false),
            ("example.org", "FALSE", "a.example.org", false), (".example.org", "FALSE", "a.example.org", false),
            ("example.org", "TRUE", "a.example.org", true), (".org", "TRUE", "example.org", false),
            (".org", "TRUE", "org", true), ("localhost", "FALSE", "localhost", true),
            (".localhost", "TRUE", "a.localhost", false), (".1.2.3", "TRUE", "0.1.2.3", false),
            ("1.2.3.4", "TRUE", "1.2.3.4", true), (".2.3.4", "TRUE", "1.2.3.4", false),
            ("[::1]", "TRUE", "[::1]", true),
            ("[::1]", "FALSE", "[::2]", false),
        ])
    func hosts(domain: String, flag: String, host: String, isSent: Bool) throws {
        let jar = try read(line(domain, flag))
        #expect((jar.field(host: host, path: "/", isSecure: false) != nil) == isSent)
    }

    @Test(
        "a path gets the cookies for it and for those above it",
        arguments: [
            ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/b", true), ("/a", "/ab", false),
            ("/a/", "/a/b", true), ("/a/", "/a", false), ("/a/", "/ab", false), ("/a", "/", false), ("a", "/b", true),
            ("/", "", true),
        ])
    func paths(path: String, asked: String, isSent: Bool) throws {
        let jar = try read(line("h", "FALSE", path))
        #expect((jar.field(host: "h", path: asked, isSecure: false) != nil) == isSent)
    }

    @Test("the longest path comes first, and over http nothing that is for https")
    func order() throws {
        let jar = try read(
            line("h", "FALSE", "/", "FALSE", "0", "a", "1") + line("h", "FALSE", "/x/y", "FALSE", "0", "b", "2")
                + line("h", "FALSE", "/x", "TRUE", "0", "c", "3") + line("h", "FALSE", "/x", "FALSE", "0", "d", "4"))
        #expect(jar.field(host: "h", path: "/x/y/z", isSecure: true) == "b=2; c=3; d=4; a=1")
        #expect(jar.field(host: "h", path: "/x", isSecure: false) == "d=4; a=1")
        #expect(jar.field(host: "i", path: "/x", isSecure: true) == nil)
    }

    @Test("a line of Cookie is for the server of the login alone")
    func pasted() throws {
        for text in [
            "Cookie: a=1; b=x=y; c=", "cookie:a=1;b=x=y;c=\n",
            "Host: h\r\nCookie: a=1; b=x=y; c=;\r\nAccept: */*\r\n",
        ] {
            let jar = try read(text)
            #expect(jar.field(host: "media.example.org", path: "/x", isSecure: true) == "a=1; b=x=y; c=")
            #expect(jar.field(host: "media.example.org", path: "/x", isSecure: false) == nil)
            #expect(jar.field(host: "a.media.example.org", path: "/x", isSecure: true) == nil)
            #expect(jar.lastExpiry == nil)
        }
        #expect(throws: CookieMistake(problem: .noServer("endpoint"))) { try read("a=1", for: nil) }
    }

    @Test(
        "what can't be read is told by its line and kind",
        arguments: [
            ("h\tFALSE\t/\tFALSE\t0\n", 1, .fields), ("#c\nh FALSE / FALSE 0 n v", 2, .fields),
            ("h\tFALSE\t/\tFALSE\t0\tn\tv\t\n", 1, .fields), ("a b\tFALSE\t/\tFALSE\t0\tn\tv", 1, .domain),
            ("..h\tFALSE\t/\tFALSE\t0\tn\tv", 1, .domain), ("h\tyes\t/\tFALSE\t0\tn\tv", 1, .flag),
            ("h\tFALSE\t/\t1\t0\tn\tv", 1, .flag), ("h\tFALSE\t/\tFALSE\t1e9\tn\tv", 1, .expiry),
            ("h\tFALSE\t/\tFALSE\t0\tn\ta;b=c", 1, .characters), ("h\tFALSE\t/\tFALSE\t0\tn\tv\u{1}", 1, .characters),
            ("h\tFALSE\t/\tFALSE\t0\tn m\tv", 1, .characters), ("h\tFALSE\t/\u{7}\tFALSE\t0\tn\tv", 1, .characters),
            ("", nil, .empty), ("# only\n", nil, .empty), ("Cookie: ;", nil, .empty), ("secret", nil, .pair),
            ("Set-Cookie: a=1; Path=/", nil, .pair), (#"[{"name": "a"}]"#, nil, .json), ("a=1\nb=2\n", nil, .fields),
            ("h\tFALSE\t/\tFALSE\t5\tn\tv", nil, .expired(Date(timeIntervalSince1970: 5))),
        ] as [(String, Int?, CookieMistake.Problem)])
    func mistakes(text: String, line: Int?, problem: CookieMistake.Problem) {
        #expect(throws: CookieMistake(line: line, problem: problem)) { try read(text) }
    }

    @Test("300 cookies and 64 KiB are the most")
    func bounds() throws {
        let all = (0..<300).map { line("h", "FALSE", "/", "FALSE", "0", "n\($0)") }.joined()
        #expect(try read(all).cookies.count == 300)
        let more = all + line("h", "FALSE", "/", "FALSE", "0", "m")
        #expect(throws: CookieMistake(problem: .tooMany)) { try read(more) }
        let long = String(repeating: "v", count: CookieJar.byteBound)
        let heavy = line("h", "FALSE", "/", "FALSE", "0", "n", long)
        #expect(throws: CookieMistake(problem: .tooLong)) { try read(heavy) }
        let late = try read("h\tFALSE\t/\tFALSE\t99999999999999999999\tn\tv").lastExpiry
        #expect(late == Date(timeIntervalSince1970: 253_402_300_799))
    }

    @Test("preferences aren't taken for secrets")
    func secrets() throws {
        let texts = [
            "dark": false, "1080": false, "2026": false, "s3cr": true, "12-34": true, "abcdefgh": true,
            "12345678": true, "ab1": false,
        ]
        for (text, isSecret) in texts {
            #expect(
                try read(line("h", "FALSE", "/", "FALSE", "0", "n", text)).cookies[0].mayBeSecret == isSecret, "\(text)"
            )
        }
    }
}
