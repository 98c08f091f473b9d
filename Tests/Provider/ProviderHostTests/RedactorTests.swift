import Foundation
import ProviderKit
import Testing

@testable import ProviderHost

/// Secrets that the host knows, and what becomes of them in texts.
@Suite struct RedactorTests {
    @Test("of a login's headers the secret part is known, not the words around it")
    func headerSecrets() {
        var redactor = Redactor()
        redactor.learn(
            Resolution(
                url: "https://h/v",
                headers: [
                    "Authorization": "Bearer t0ken-1", "Cookie": "sid=s3ss10n; theme=dark9", "X-Kind": "plain word",
                ]))
        #expect(redactor.redact("Bearer of t0ken-1, s3ss10n") == "Bearer of <redacted>, <redacted>")
        #expect(redactor.redact("a plain thing, sid and a word") == "a plain thing, sid and a word")
    }

    @Test("of a browser's session each cookie is a secret; a word may be in a listing")
    func sessionSecrets() {
        let text = "h\tFALSE\t/\tFALSE\t0\tsid\ts3ss10n-0123456\nh\tFALSE\t/\tFALSE\t0\twho\tanna.smith\n"
        for isTyped in [true, false] {
            var redactor = Redactor()
            if isTyped { redactor.learn(typed: text) } else { redactor.learn(["kept": ["session": .string(text)]]) }
            #expect(
                redactor.redact("sid=s3ss10n-0123456 of anna.smith, s3ss10n%2D0123456")
                    == "sid=<redacted> of <redacted>, <redacted>")
            let listed = { (value: String) in
                Listing(videos: [Listing.Video(id: "v", parameters: ["a": .string(value)])])
            }
            #expect(redactor.secret(in: listed("s3ss10n-0123456")) != nil)
            #expect(redactor.secret(in: listed("anna.smith")) == nil)
        }
    }

    @Test("a known secret is found in every usual encoding")
    func encodedSecret() {
        var redactor = Redactor()
        redactor.learn("s3cret/+ ä?")
        for text in [
            "s3cret/+ ä?", "s3cret%2F%2B%20%C3%A4%3F", "s3cret/%2b+%c3%a4%3F",
            "x=czNjcmV0Lysgw6Q/", "czNjcmV0Lysgw6Q_", "Basic YW5uYTpzM2NyZXQvKyDDpD8=", "/v/YW5uYTpzM2NyZXQvKyDDpD8/x",
            "7333637265742f2b20c3a43f", #""s3cret/+ \u00e4?""#,
        ] {
            let shown = redactor.redact("token \(text) end")
            #expect(shown.contains("<redacted>") && !shown.contains("czNjcmV0") && !shown.contains("cret"), "\(shown)")
            #expect(shown.hasPrefix("token ") && shown.hasSuffix(" end") && !shown.contains("YW5u"), "\(shown)")
        }
        #expect(redactor.redact("plain words, https://h/a/b.mp4 and 100%") == "plain words, https://h/a/b.mp4 and 100%")
    }

    @Test("the query of a URL is removed, too, if its host or a part of its path is a known secret")
    func secretInURL() {
        var redactor = Redactor()
        redactor.learn("127.0.0.1")
        redactor.learn("annauser99")
        #expect(
            redactor.redact("GET http://127.0.0.1:18881/v/annauser99/x.mp4?sig=S3CR3T failed at annauser99")
                == "GET http://<redacted>:18881/v/<redacted>/x.mp4?… failed at <redacted>")
    }

    @Test("known secrets are replaced, the longest first; short ones don't count as secrets")
    func secrets() {
        var redactor = Redactor()
        redactor.learn(["user": "abc", "nested": ["hunter2", ["deep": "hunter2-long"]], "n": 12345])
        #expect(redactor.redact("abc hunter2-long hunter2 12345") == "abc <redacted> <redacted> 12345")
        #expect(redactor.redact(String(repeating: "x", count: 30), limit: 10) == "xxxxxxxxxx…")
    }

    @Test("stored credentials are never forgotten, however many tokens come; of tokens the newest are known")
    func manyTokens() {
        var redactor = Redactor()
        redactor.learn("typed-pa55word")
        redactor.learn(["password": "stored-pa55word", "session": "first-session"])
        for number in 0..<2000 {
            redactor.learn(Resolution(url: "https://h/a", token: .bearer("token-\(number)-end")))
            redactor.learn(["session": .string("session-\(number)-end")], areRenewed: true)
        }
        for secret in ["typed-pa55word", "stored-pa55word", "first-session", "token-1999-end", "session-1999-end"] {
            #expect(redactor.redact("with \(secret) in it") == "with <redacted> in it", "\(secret)")
        }
        #expect(redactor.redact("token-3-end session-3-end") == "token-3-end session-3-end", "these may be forgotten")
    }

    @Test("credentials that are still in use are known, also after an answer with others that weren't taken")
    func lostRenewal() {
        var redactor = Redactor()
        redactor.learn(["session": "session-in-use"], areRenewed: true)
        redactor.learn(["session": "session-not-taken"], areRenewed: true)
        redactor.learn(["session": "session-in-use"])
        for number in 0..<2000 { redactor.learn(Resolution(url: "https://h/a", token: .bearer("token-\(number)-end"))) }
        #expect(redactor.redact("session-in-use") == "<redacted>")
    }
}
