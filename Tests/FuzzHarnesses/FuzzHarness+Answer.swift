import Foundation
import ProviderHost
import ProviderKit

extension FuzzHarness {
    /// Lines of a plugin: answers, errors and logs. A resolution that passes the check is written and read again to the same,
    /// and shows no token once its secrets are out.
    static let answer = FuzzHarness(
        name: "answer",
        texts: [
            """
            {"id":1,"result":{"url":"https://h/a.mp4?b=c","kind":"hls","headers":{"X-A":"b"},"size":5,\
            "expires_at":"2026-11-21T02:00:00.5+01:00","sha256":"\(String(repeating: "a1", count: 32))",\
            "extension":"mp4","media_type":"video/mp4","duration":1.5e1,"single_use":true,"extendable":false,\
            "token":{"in":"header","name":"Authorization","prefix":"Bearer ","value":"sesame-open",\
            "origins":["https://h"]},"subtitles":[{"lang":"en","url":"https://h/s"}],\
            "attachments":[{"title":"t","url":"https://h/t"}],"cover":"https://h/c","credentials":{"a":[null,1,"x"]}}}
            """,
            #"{"id":2,"result":{"title":"t","chapters":[{"id":"c","videos":["a",{"id":"b","size":1}]}],"videos":[],"next":"n"}}"#,
            #"{"id":3,"result":{"credentials":{"token":"x"},"expires_at":"2026-11-21T02:00:00Z"}}"#,
            #"{"id":4,"result":{"course":{"title":"T","parameters":{"endpoint":"https://h/"}},"video":{"id":"a"}}}"#,
            #"{"id":1,"error":{"code":-32000,"message":"no","data":{"kind":"rate_limited","retry_after":5}}}"#,
            #"{"method":"log","params":{"level":"info","message":"hello \u0041\ud83d\ude00"}}"#,
            "{\"id\":1,\"result\":{}}\n{\"id\":9}\n[]\n{",
        ],
        words: [
            "{\"id\":1,\"result\":", "{\"id\":2,\"result\":", "{\"id\":3,\"result\":", "{\"id\":4,\"result\":",
            "\"error\":",
            "\"url\":\"https://",
            "\"token\":", "\"credentials\":", "[", "]", "{", "}", "[[[[[[[[", "{\"a\":{\"a\":", "null", "true", "-0",
            "1e999", "1E400", "9223372036854775808", "9007199254740993", "\\u0000", "\\ud800", "\\", "\"", ",", ":",
            "\n",
            "\u{FEFF}", "\u{0}", "é", "user:pw@", "2026-11-21T24:00:00Z",
        ],
        corpus: "json-test-suite"
    ) { bytes in
        let methods: [Int: AnswerLine.Method] = [1: .resolve, 2: .list, 3: .login, 4: .recognise, 5: .courses]
        let decoder = AnswerDecoder { methods[$0] }
        var isAnswer = false
        for line in bytes.split(separator: 0x0A) {
            let taken = UnsafeRawBufferPointer(rebasing: line)
            guard case .reply(_, let reply) = decoder.decode(taken) else { continue }
            switch reply {
            case .resolution(let resolution):
                guard ResolutionCheck.fault(in: resolution) == nil else { continue }
                isAnswer = true
                try check(resolution)
            case .listing(let listing):
                _ = ListingCheck.fault(in: listing)
                isAnswer = true
            case .courses(let list):
                _ = CourseListCheck.fault(in: list)
                isAnswer = true
            case .recognition(let answer):
                _ = RecognitionCheck.fault(in: answer)
                isAnswer = true
            case .login, .error: isAnswer = true
            case .wrong(let text, _): try promise(!text.isEmpty, "nothing is said of what is wrong")
            }
        }
        return isAnswer
    }

    private static func check(_ resolution: Resolution) throws {
        let written = try JSONEncoder().encode(resolution)
        let again = try JSONDecoder().decode(Resolution.self, from: written)
        let rewritten = try JSONEncoder.sorted.encode(again)
        try promise(
            rewritten == (try JSONEncoder.sorted.encode(resolution)),
            "read otherwise: \(String(decoding: written, as: UTF8.self))")
        guard let token = resolution.token, token.value.utf8.count >= 8 else { return }
        var bare = resolution
        bare.token?.value = ""
        let places = try JSONEncoder().encode(bare)
        // Unless it stands at some place where nobody has to keep it.
        guard !String(decoding: places, as: UTF8.self).contains(token.value) else { return }
        var shown = "\(resolution) \(String(reflecting: resolution))"
        dump(resolution, to: &shown)
        try promise(!shown.contains(token.value), "a token is shown")
    }
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
