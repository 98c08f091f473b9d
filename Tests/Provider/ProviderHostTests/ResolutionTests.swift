import Foundation
import ProviderKit
import SystemPackage
import Testing

@testable import ProviderHost

/// Requirements for an answer beyond its form, and its printed form.
@Suite struct ResolutionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var result: String
        var fault: String?
        var testDescription: String { result }
    }

    static let cases = [
        Case(result: #"{"url":"https://h/v.mp4"}"#),
        Case(result: #"{"url":"HTTP://127.0.0.1:8080/a%20b?x=1#y","kind":"hls","unknown":[1]}"#),
        Case(result: #"{"url":"https://h/v","tracks":[{"kind":"audio","url":"https://h/a","lang":"de"}]}"#),
        Case(
            result: #"{"url":"https://h/v","kind":"hls","tracks":[{"kind":"audio","url":"https://h/a"}]}"#,
            fault: "its answer has 'tracks' beside a playlist; they belong to a file"),
        Case(
            result: #"{"url":"https://h/v","tracks":[{"kind":"audio","url":"h/a"}]}"#,
            fault: "one of the 'tracks' in its answer has a 'url' that isn't an absolute http or https URL"),
        Case(
            result: #"{"url":"https://h/v","tracks":[{"kind":"audio","url":"https://h/a","sha256":"0f"}]}"#,
            fault: "one of the 'tracks' in its answer has a 'sha256' that isn't 64 hexadecimal digits"),
        Case(result: #"{}"#, fault: "its answer has no 'result.url'"),
        Case(result: #"[]"#, fault: "'result' in its answer is an array, not an object"),
        Case(result: #"{"url":null}"#, fault: "'result.url' in its answer is null"),
        Case(result: #"{"url":7}"#, fault: "'result.url' in its answer is a number, not a string"),
        Case(result: #"{"url":""}"#, fault: "'url' in its answer isn't an absolute http or https URL"),
        Case(result: #"{"url":"v.mp4"}"#, fault: "'url' in its answer isn't an absolute http or https URL"),
        Case(
            result: #"{"url":"file:///etc/passwd"}"#, fault: "'url' in its answer isn't an absolute http or https URL"),
        Case(result: #"{"url":"https://"}"#, fault: "'url' in its answer isn't an absolute http or https URL"),
        Case(result: #"{"url":"https:///x"}"#, fault: "'url' in its answer isn't an absolute http or https URL"),
        Case(result: #"{"url":"https://h/a b"}"#, fault: "'url' in its answer contains a space or a control character"),
        Case(
            result: #"{"url":"https://h/\r\nX: y"}"#,
            fault: "'url' in its answer contains a space or a control character"),
        Case(
            result: #"{"url":"https://u:p@h/"}"#,
            fault: "'url' in its answer contains a user name; use 'headers' or 'token'"),
        Case(result: #"{"url":"https://h:99999/"}"#, fault: "'url' in its answer has a port out of range"),
        Case(
            result: #"{"url":"https://h/\#(String(repeating: "x", count: 9000))"}"#,
            fault: "'url' in its answer is longer than 8192 bytes"),
        Case(
            result: #"{"url":"https://h/","kind":"smooth"}"#,
            fault: "'result.kind' in its answer has a value that the protocol doesn't know"),
        Case(
            result: #"{"url":"https://h/","expires_at":"tomorrow"}"#,
            fault: "'result.expires_at' in its answer isn't a time like 2026-11-21T02:00:00Z"),
        Case(result: #"{"url":"https://h/","size":-1}"#, fault: "'size' in its answer is negative"),
        Case(
            result: #"{"url":"https://h/","size":9007199254740993}"#,
            fault: "'size' in its answer is more than 2^53 bytes, the limit for a file"),
        Case(
            result: #"{"url":"https://h/","size":9223372036854775808}"#,
            fault: "'result.size' in its answer isn't a whole number within bounds"),
        Case(
            result: #"{"url":"https://h/","duration":1e300}"#,
            fault: "'duration' in its answer is more than 1000000000 seconds"),
        Case(
            result: #"{"url":"https://h/","size":1e99}"#,
            fault: "'result.size' in its answer isn't a whole number within bounds"),
        Case(result: #"{"url":"https://h/","duration":-1}"#, fault: "'duration' in its answer is negative"),
        Case(
            result: #"{"url":"https://h/","sha256":"abc"}"#, fault: "'sha256' in its answer isn't 64 hexadecimal digits"
        ),
        Case(
            result: #"{"url":"https://h/","checksums":{"md5":"abc"}}"#,
            fault: "'checksums' in its answer has a 'md5' that isn't 32 hexadecimal digits"),
        Case(result: #"{"url":"https://h/","checksums":{"crc32":"CBF43926","sha512":"x"}}"#),
        Case(
            result: #"{"url":"https://h/","token":{"value":"a","in":"query","name":"t"},"#
                + #""tokens":[{"value":"a","in":"query","name":"t"}]}"#,
            fault: "its answer has 'token' and 'tokens'; one of them says everything"),
        Case(
            result: #"{"url":"https://h/","tokens":[{"value":"a","in":"query","name":"t","url_prefix":"/a"}]}"#,
            fault: "one of the 'tokens' in its answer has a 'url_prefix' that isn't an absolute http or https URL"),
        Case(
            result:
                #"{"url":"https://h/","tokens":[{"value":"a","in":"cookie","name":"t","url_prefix":"https://h/?a"}]}"#,
            fault: "one of the 'tokens' in its answer has a 'url_prefix' that has a query"),
        Case(
            result: #"{"url":"https://h/","tokens":[{"value":"a;b","in":"cookie","name":"t"}]}"#,
            fault: "one of the 'tokens' in its answer isn't a valid cookie"),
        Case(
            result: #"{"url":"https://h/","tokens":[{"value":"a","in":"query","name":"t","url_prefix":"https://h/","#
                + #""origins":["https://h"]}]}"#,
            fault: "one of the 'tokens' in its answer has 'origins' and 'url_prefix'; one of them says where it goes"),
        Case(
            result: #"{"url":"https://h/","extension":"../x"}"#,
            fault: "'extension' in its answer isn't up to 16 letters and digits"),
        Case(
            result: #"{"url":"https://h/","media_type":"a\nb"}"#, fault: "'media_type' in its answer isn't a media type"
        ),
        Case(result: #"{"url":"https://h/","headers":{"Referer":"https://h/"}}"#),
        Case(
            result: #"{"url":"https://h/","headers":{"RANGE":"bytes=0-"}}"#,
            fault: "'headers' in its answer sets 'RANGE', which coursefetch sets itself"),
        Case(
            result: #"{"url":"https://h/","headers":{"Host":"x"}}"#,
            fault: "'headers' in its answer sets 'Host', which coursefetch sets itself"),
        Case(
            result: #"{"url":"https://h/","headers":{"If-Match":"x"}}"#,
            fault: "'headers' in its answer sets 'If-Match', which coursefetch sets itself"),
        Case(
            result: #"{"url":"https://h/","headers":{"Content-Length":"1"}}"#,
            fault: "'headers' in its answer sets 'Content-Length', which coursefetch sets itself"),
        Case(
            result: #"{"url":"https://h/","headers":{"X-A":"a\r\nB: c"}}"#,
            fault: "'headers' in its answer has a line end or control character in 'X-A'"),
        Case(
            result: #"{"url":"https://h/","headers":{"X A":"a"}}"#,
            fault: "'headers' in its answer has a name that isn't one of a header"),
        Case(
            result: #"{"url":"https://h/","headers":{"x-a":"1","X-A":"2"}}"#,
            fault: "'headers' in its answer names a header twice"),
        Case(
            result:
                #"{"url":"https://h/","token":{"value":"t","in":"header","name":"Authorization","prefix":"Bearer ","origins":["https://cdn.h"]}}"#
        ),
        Case(
            result: #"{"url":"https://h/","token":{"value":"t","in":"body","name":"x"}}"#,
            fault: "'result.token.in' in its answer has a value that the protocol doesn't know"),
        Case(
            result: #"{"url":"https://h/","token":{"value":"t","in":"header"}}"#,
            fault: "its answer has no 'result.token.name'"),
        Case(
            result: #"{"url":"https://h/","token":{"value":"","in":"query","name":"x"}}"#,
            fault: "'token' in its answer has a 'value' of a wrong length"),
        Case(
            result: #"{"url":"https://h/","token":{"value":"a;b","in":"cookie","name":"x"}}"#,
            fault: "'token' in its answer isn't a valid cookie"),
        Case(
            result: #"{"url":"https://h/","token":{"value":"a\nb","in":"header","name":"X-T"}}"#,
            fault: "'token' in its answer has a line end or control character in 'X-T'"),
        Case(
            result: #"{"url":"https://h/","token":{"value":"t","in":"query","name":"x","origins":["https://h/path"]}}"#,
            fault: "'token' in its answer has an origin with a path; an origin is scheme, host and port"),
        Case(result: #"{"url":"https://h/","subtitles":[{"lang":"en"}],"attachments":[{"title":"A"}]}"#),
    ]

    @Test("a resolution follows the protocol, else the plugin is at fault", arguments: cases)
    func check(_ it: Case) throws {
        let decoder = AnswerDecoder { _ in .resolve }
        let line = Array(#"{"id":1,"result":\#(it.result)}"#.utf8)
        let fault: String?
        switch line.withUnsafeBytes({ decoder.decode($0) }) {
        case .reply(wire: 1, .resolution(let resolution)): fault = ResolutionCheck.fault(in: resolution)
        case .reply(wire: 1, .wrong(let reason, _)): fault = reason
        case let other: fault = "\(other)"
        }
        #expect(fault == it.fault)
    }

    @Test("subtitles without a proper language are left out, and the rest is taken")
    func badLanguage() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            let result = """
                {"url":"https://h/v","subtitles":[{"lang":"en/../x","url":"https://h/1"},{"lang":"en","url":"https://h/2"},
                {"lang":"","url":"https://h/3"}]}
                """
            let resolution = try await provider.resolve(.video("result", ["result": .string(result)]))
            #expect(resolution.subtitles == [.init(lang: "en", url: "https://h/2")])
        }
        #expect(
            sandbox.log.lines.contains(
                "warning: course/chapter/result: 2 of its 'subtitles' left out: 'lang' isn't a language tag"))
    }

    @Test("sidecars that can't be fetched are left out by name, and the rest is taken")
    func badSidecars() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            let result = """
                {"url":"https://h/v","cover":"x.jpg","subtitles":[{"lang":"en","url":"/1"},{"lang":"de","url":"https://h/2"},
                {"lang":"fr","later":{"of":"another version"}}],"attachments":[{"title":"","url":"https://h/3"},{"title":"Slides","url":"ftp://h/s"},
                {"title":"Notes","url":"https://h/4"},{"title":"A","url":"a"},{"title":"B","url":"b"},
                {"title":"C","path":"c"}]}
                """
            let resolution = try await provider.resolve(.video("result", ["result": .string(result)]))
            #expect(resolution.cover == nil)
            #expect(resolution.subtitles == [.init(lang: "de", url: "https://h/2")])
            #expect(resolution.attachments == [.init(title: "Notes", url: "https://h/4")])
        }
        let isNoURL = "isn't an absolute http or https URL"
        for line in [
            "'en' of its 'subtitles' left out: 'url' \(isNoURL)", "'fr' of its 'subtitles' left out: 'url' \(isNoURL)",
            "number 1 of its 'attachments' left out: 'title' has a wrong length",
            "'Slides' of its 'attachments' left out: 'url' \(isNoURL)",
            "'A' of its 'attachments' left out: 'url' \(isNoURL)", "2 more of its 'attachments' left out",
            "its 'cover' left out: it \(isNoURL)",
        ] {
            #expect(sandbox.log.lines.contains("warning: course/chapter/result: \(line)"), "\(sandbox.log.lines)")
        }
    }

    @Test("of equal keys in an answer the last one counts")
    func equalKeys() {
        let line = Array(#"{"id":9,"result":{"url":"https://h/1","size":1,"url":"https://h/2"},"id":1}"#.utf8)
        guard
            case .reply(wire: 1, .resolution(let got)) = line.withUnsafeBytes({
                AnswerDecoder { $0 == 1 ? .resolve : nil }.decode($0)
            })
        else {
            Issue.record("not a resolution")
            return
        }
        #expect(got == Resolution(url: "https://h/2", size: 1))
    }

    @Test("a line that is nested too deep is refused, wherever the nesting is")
    func depth() {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        for line in [
            #"{"id":1,"result":{"url":"https://h/","credentials":\#(deep)}}"#,
            #"{"id":1,"result":{"url":"https://h/","more":\#(deep)}}"#, #"{"method":"news","params":\#(deep)}"#, deep,
        ] {
            let answer = Array(line.utf8).withUnsafeBytes { AnswerDecoder { _ in .resolve }.decode($0) }
            guard case .violation("it wrote a line that is nested more than 64 deep") = answer else {
                Issue.record("\(answer)")
                continue
            }
        }
    }

    @Test("all fields come through")
    func fields() throws {
        let text = #"""
            {"id":7,"result":{"url":"https://h/v","kind":"hls",
            "token":{"value":"s","in":"cookie","name":"n","prefix":"p","origins":["https://o"]},
            "expires_at":"2026-11-21T03:00:00+01:00","headers":{"A":"b"},"size":9007199254740993,
            "sha256":"00","extension":"mp4","media_type":"video/mp4","duration":1.5,"single_use":true,"extendable":true,
            "subtitles":[{"lang":"en","url":"https://h/s"}],"attachments":[{"title":"T","url":"https://h/a"}],
            "cover":"https://h/c","credentials":{"t":1}}}
            """#
        let line = Array(text.replacing("\n", with: "").utf8)
        guard
            case .reply(wire: 7, .resolution(let got)) = line.withUnsafeBytes({
                AnswerDecoder { _ in .resolve }.decode($0)
            })
        else {
            Issue.record("not a resolution")
            return
        }
        let wanted = Resolution(
            url: "https://h/v", kind: .hls,
            token: Token("s", in: .cookie, name: "n", prefix: "p", origins: ["https://o"]),
            expiresAt: Date(timeIntervalSince1970: 1_795_226_400), headers: ["A": "b"], size: 9_007_199_254_740_993,
            sha256: "00", fileExtension: "mp4", mediaType: "video/mp4", duration: 1.5, singleUse: true,
            extendable: true,
            subtitles: [.init(lang: "en", url: "https://h/s")], attachments: [.init(title: "T", url: "https://h/a")],
            cover: "https://h/c", credentials: Secret(["t": 1]))
        #expect(got == wanted)
    }

    @Test(
        "what other languages write for JSON is told as that",
        arguments: [
            (#"{"id": 7, "result": {"duration": NaN}}"#, "it wrote a line that isn't JSON; NaN isn't a number in JSON"),
            (#"{'id': 7}"#, "it wrote a line that isn't JSON; JSON takes double quotes"),
            (#"{"id": 7,"#, "it wrote a line that isn't JSON"),
        ])
    func nearlyJSON(line: String, message: String) {
        let read = Array(line.utf8).withUnsafeBytes { AnswerDecoder { _ in .resolve }.decode($0) }
        guard case .violation(message) = read else {
            Issue.record("\(read)")
            return
        }
    }

    @Test("an error keeps its kind where another field has the wrong type")
    func wrongRetryAfter() {
        let line = Array(
            #"{"id":7,"error":{"code":-32000,"message":"busy","data":{"kind":"unavailable","retry_after":"soon"}}}"#
                .utf8)
        let read = line.withUnsafeBytes { AnswerDecoder { _ in .resolve }.decode($0) }
        guard case .reply(wire: 7, .error(let error)) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(error.kind == .unavailable && error.retryAfter == nil && error.message == "busy")
    }

    @Test("types of the host that may hold a secret don't print it")
    func printing() throws {
        var redactor = Redactor()
        redactor.learn("canary")
        let request = ResolveRequest.video("v", ["key": "canary"], credentials: ["p": "canary"])
        let environment = ["HTTPS_PROXY": "http://u:canary@p"]
        let launch = PluginLaunch(executable: "/p", environment: environment, folder: "/")
        let resolution = Resolution(url: "https://h/?canary", headers: ["Cookie": "canary"])
        let manifest = Manifest(
            name: "x", run: ["/p"], methods: [], ignoresCourse: false, concurrency: 1, timeout: .seconds(1),
            parameters: .anything,
            credentials: [], environment: [])
        let reply = AnswerLine.Reply.wrong("canary")
        var state = PluginState(supervision: Supervision(concurrency: 1))
        state.learn(.resolve(request))
        let values: [Any] = [
            redactor, OutgoingRequest.resolve(request), try RequestLine(request, wire: 1), launch, reply,
            AnswerLine.reply(wire: 1, .resolution(resolution)), AnswerLine.log(.info, "canary"), state,
            Plugin(manifest: manifest, folder: "/", launch: launch),
            PluginFolder(folder: "/", environment: environment, executable: "/p"),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!(dumped + "\(value)" + String(reflecting: value)).contains("canary"), "\(type(of: value))")
        }
    }
}
