import DownloadStore
import Foundation
import Operations
import RunAccess
import SyncFacts
import Testing
import YAMLSource

@testable import CommandOutput
@testable import CourseFetchCommands

/// What commands print that aren't a sync.
extension ReportTests {
    @Test("a provider's answer shows no secret unless asked")
    func resolve() throws {
        var answer = ResolveAnswer(
            reference: Self.video("p", "k", "v1", "One"), provider: "peertube",
            url: "https://bob:canary1@media.example.org/v.mp4?\u{301}sig=canary2#canary3")
        answer.tokenValue = "canary4"
        answer.tokenPlace = "header Authorization"
        answer.tokenOrigins = ["https://cdn.example.org"]
        answer.headers = [("Referer", "https://x.example/?t=canary5"), ("X-Key", "canary6"), ("User-Agent", "cf")]
        answer.subtitles = ["en https://h/s.vtt?sig=canary7"]
        answer.attachments = ["Notes https://u:canary8@h/n.pdf#canary9"]
        answer.expiresAt = Self.now.addingTimeInterval(90)
        answer.size = 1_048_576
        answer.seconds = 0.0123
        let text = ResolveText(showsSecrets: false, now: Self.now, zone: .gmt)
        let lines = text.lines(answer)
        #expect(
            lines == [
                "p/k/v1  One", "  provider     peertube, answered in 12 ms", "  kind         file",
                "  url          https://media.example.org/v.mp4?…",
                "  token        <redacted> in header Authorization, also for https://cdn.example.org",
                "  header       Referer: https://x.example/?…", "  header       X-Key: <redacted>",
                "  header       User-Agent: cf", "  expires      2026-11-20T23:01:30Z, in 1m30s",
                "  size         1.00 MiB (1048576 bytes)", "  subtitles    en https://h/s.vtt?…",
                "  attachments  Notes https://h/n.pdf#…",
            ])
        #expect(!String(decoding: text.json(answer), as: UTF8.self).contains("canary"))
        let all = ResolveText(showsSecrets: true, now: Self.now, zone: .gmt).lines(answer).joined()
        for number in 1...9 { #expect(all.contains("canary\(number)")) }
        #expect(
            ResolveText.failure(
                answer.reference, DownloadError(kind: .notFound, message: "no such video."), provider: "x")
                == "error: p/k/v1: no such video")
        #expect(
            ResolveText.failure(
                answer.reference, DownloadError(kind: .authRequired, message: "no."), provider: "x")
                == "error: p/k/v1: no; log in with: coursefetch login --provider x")
    }

    @Test(
        "a URL is shown without what may sign it",
        arguments: [
            ("https://h/p", "https://h/p"), ("https://h/p?x=http://y@z/", "https://h/p?…"),
            ("https://u@h/p@q", "https://h/p@q"), ("nonsense?a=b", "nonsense?…"), ("https://", "https://"),
            ("", ""),
            ("https://a@b@h/#f", "https://h/#…"),
        ])
    func urls(url: String, expected: String) {
        let answer = ResolveAnswer(reference: Self.video("p", nil, "v", "v"), provider: "x", url: url)
        let line = ResolveText(showsSecrets: false, now: Self.now, zone: .gmt).lines(answer).first {
            $0.hasPrefix("  url ")
        }
        #expect(line == (expected.isEmpty ? nil : "  url          \(expected)"))
    }

    @Test("plugins, the usable and the broken ones")
    func plugins() {
        let listings = [
            PluginSummary(
                name: "direct", version: "1.0.0", protocolVersion: 1, summary: "URLs from a template",
                methods: ["resolve"],
                folder: "/p/direct"),
            PluginSummary(
                name: "broken", version: nil, protocolVersion: nil, summary: nil, methods: [], folder: "/p/broken",
                problem: "plugin.yaml:3:1: unknown key"),
            PluginSummary(
                name: "direct", version: "0.9", protocolVersion: 1, summary: "x", methods: [], folder: "/q/direct",
                shadowedBy: "/p/direct"),
        ]
        #expect(
            PluginsText.lines(listings, searched: []) == [
                "direct 1.0.0  URLs from a template", "              resolve; /p/direct",
                "broken        broken: plugin.yaml:3:1: unknown key", "              /p/broken",
                "direct 0.9    not used: /p/direct comes first", "              /q/direct",
            ])
        var wanting = listings[0]
        wanting.parameters = ["host", "scope"]
        wanting.required = ["host"]
        wanting.credentials = ["username", "password"]
        #expect(
            PluginsText.lines([wanting], searched: []).suffix(2) == [
                "              parameters: host*, scope", "              login: username, password",
            ])
        wanting.credentials.append("session")
        wanting.cookies = ["session"]
        #expect(PluginsText.lines([wanting], searched: []).contains { $0.contains("session") })
        #expect(PluginsText.lines([], searched: ["/a"])[0...1] == ["no plugins; looked in:", "  /a"])
        #expect(
            String(decoding: PluginsText.json(listings[1]), as: UTF8.self)
                == #"{"name":"broken","version":null,"protocol":null,"description":null,"methods":[],"parameters":[],"required":[],"credentials":[],"cookies":[],"folder":"/p/broken","warnings":[],"problem":"plugin.yaml:3:1: unknown key","shadowed_by":null}"#
                + "\n")
    }

    @Test("a first catalog of an address has {id} in it, and there is none without")
    func firstCatalog() {
        let one = FirstCatalog(title: "Ópticá 1", source: "https://example.org/optics/lens%201.mp4?x=1")
        #expect(one?.address == "https://example.org/optics/{id}.mp4?x=1" && one?.video == "lens 1")
        #expect(one?.course == "optica-1" && one?.provider == "direct")
        #expect(FirstCatalog(title: "T", source: "https://h/{id}")?.address == "https://h/{id}")
        #expect(FirstCatalog(title: "T", source: "peertube")?.provider == "peertube")
        for source in ["https://example.org/", "https://example.org", "ftp://h/a.mp4", "http:///a.mp4"] {
            #expect(FirstCatalog(title: "T", source: source) == nil, "\(source)")
        }
    }

    @Test("library and catalogs")
    func library() {
        #expect(
            LibraryText.moved(LibraryChange(library: "/n", previous: "/o", files: 2))
                == "the library is now at /n (was /o), with 2 finished videos")
        #expect(
            LibraryText.adopted(LibraryChange(library: "/n", previous: nil, files: 1))
                == "/n is now the library, with 1 known video")
        #expect(
            LibraryText.forgotten(ForgottenCatalog(file: "/c.yaml", courses: ["a", "b"], downloads: 3))
                == "forgot /c.yaml: 2 courses with 3 videos (a and b)")
        #expect(
            LibraryText.forgotten(ForgottenCatalog(file: "/c.yaml", courses: [], downloads: 0))
                == "no course came from /c.yaml")
    }

    @Test("check ends with a count")
    func check() {
        let location = SourceLocation(file: "c.yaml", line: 1, column: 1)
        let error = Diagnostic(.error, at: location, "bad")
        let warning = Diagnostic(.warning, at: location, "empty course")
        func summary(_ diagnostics: [Diagnostic], omitted: Int = 0, files: Int = 1) -> String {
            CheckText.summary(
                CheckReport(diagnostics: diagnostics, omitted: omitted, files: files, courses: 2, videos: 14))
        }
        #expect(summary([]) == "14 videos in 2 courses, no mistakes")
        #expect(summary([warning], files: 3) == "14 videos in 2 courses in 3 files, 1 warning")
        #expect(summary([error, error, warning]) == "2 errors and 1 warning")
        #expect(summary([error], omitted: 99) == "100 errors (99 not shown)")
    }
}
