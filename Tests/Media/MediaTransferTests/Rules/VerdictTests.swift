import MediaTransfer
import Testing

@Suite struct VerdictTests {
    @Test(
        "each failure has its appropriate consequence",
        arguments: [
            (.refused(status: 403, .status), .resolveAgain), (.refused(status: 200, .login), .resolveAgain),
            (.refused(status: 200, .page("text/html")), .resolveAgain), (.status(400, retryAfter: nil), .resolveAgain),
            (.status(429, retryAfter: .seconds(7)), .retryHost(after: .seconds(7))),
            (.status(500, retryAfter: nil), .retryHost(after: nil)),
            (.status(503, retryAfter: .seconds(1)), .retryHost(after: .seconds(1))),
            (.status(408, retryAfter: nil), .retry), (.status(202, retryAfter: nil), .retry),
            (.status(405, retryAfter: nil), .final), (.status(407, retryAfter: nil), .final),
            (.status(451, retryAfter: nil), .final), (.status(304, retryAfter: nil), .retryOnce),
            (.status(201, retryAfter: nil), .retryOnce), (.status(205, retryAfter: nil), .retryOnce),
            (.status(412, retryAfter: nil), .retryOnce),
            (.rangeIgnored, .startOver), (.rangeMismatch(.otherOffset), .startOver),
            (.identityChanged(.etag), .startOver), (.tooLong(.promised), .startOver), (.tooLong(.expected), .final),
            (.tooLong(.maximum), .final), (.sizeMismatch(expected: 1, announced: 2), .final),
            (.truncated(received: 1, expected: 2), .retry), (.empty, .retry), (.partOnly, .retry),
            (.lengthUnknown(framed: true), .final),
            (.badResponse(.duplicateField("location")), .retry), (.redirect(.downgrade), .final),
            (.redirect(.loop), .resolveAgain), (.network(.broken), .retry), (.network(.unknownHost), .retry),
            (.network(.proxyRefused(status: 407)), .final), (.network(.proxyRefused(status: 502)), .retry),
            (.tls(.certificate), .final), (.tls(.handshake), .retry), (.tls(.caFile), .final), (.stalled, .retry),
            (.file(errno: 28), .disk), (.invalidRequest("x"), .final), (.cancelled, .stopped), (.shutDown, .stopped),
        ] as [(TransferFailure, RetryVerdict)])
    func verdicts(_ failure: TransferFailure, _ verdict: RetryVerdict) {
        #expect(failure.verdict == verdict)
        #expect(!failure.sentence.isEmpty)
        #expect(!failure.sentence.hasSuffix("."))
    }

    @Test("a media type invented by a server doesn't reach the text")
    func quoting() {
        let failure = TransferFailure.refused(status: 200, .page("text/html\u{1B}[2J+json"))
        #expect(failure.sentence == "the server sent another media type instead of a video")
    }

    @Test(
        "a failure is reported with its address",
        arguments: [
            (.refused(status: 404, .status), "not found (404) at media.example.org/phys101/k2b.mp4"),
            (.refused(status: 410, .status), "deleted (410) at media.example.org/phys101/k2b.mp4"),
            (.refused(status: 403, .status), "access denied (403) at media.example.org/phys101/k2b.mp4"),
            (
                .refused(status: 200, .page("text/html")),
                "the server sent a web page instead of a video at media.example.org/phys101/k2b.mp4; is a login needed?"
            ),
            (.status(503, retryAfter: nil), "server error (503) at media.example.org/phys101/k2b.mp4"),
            (.status(429, retryAfter: nil), "too many requests (429) at media.example.org/phys101/k2b.mp4"),
            (.network(.unknownHost), "can't resolve media.example.org"),
            (.network(.cannotConnect), "can't connect to media.example.org"),
            (.stalled, "media.example.org stopped sending"),
            (.tls(.certificate), "the certificate of media.example.org can't be verified"),
            (
                .identityChanged(.etag),
                "the file on the server has changed at media.example.org/phys101/k2b.mp4: another ETag"
            ),
        ] as [(TransferFailure, String)])
    func places(failure: TransferFailure, text: String) {
        let url = "https://u:secret@media.example.org/phys101/k2b.mp4?sig=secret#secret"
        #expect(failure.sentence(at: ShownAddress(url)) == text)
    }

    @Test("without an address it is still a sentence")
    func noPlace() {
        #expect(TransferFailure.refused(status: 404, .status).sentence == "not found on the server (404)")
        #expect(
            TransferFailure.refused(status: 200, .page("text/html")).sentence
                == "the server sent a web page instead of a video; is a login needed?")
    }

    @Test(
        "an address is shown without parts that may be a signature",
        arguments: [
            ("https://u:p@h.example/a/b.mp4?t=1#x", "h.example/a/b.mp4"), ("http://h:8080/", "h:8080"),
            ("https://h", "h"), ("ftp://h/a", nil), ("", nil),
            ("https://h/a8Kd0fJ2kd93kdLs02kDk3/v.mp4", "h/…/v.mp4"),
            (
                "https://h/videos/9c9de5e8-0a1e-484a-b099-e80766180a6d.mp4",
                "h/videos/9c9de5e8-0a1e-484a-b099-e80766180a6d.mp4"
            ),
            (
                "https://h/watch/9c9de5e8-0a1e-484a-b099-e80766180a6d/x",
                "h/watch/9c9de5e8-0a1e-484a-b099-e80766180a6d/x"
            ),
            ("https://h/lecture-notes-week-12-2026/a", "h/lecture-notes-week-12-2026/a"),
            ("https://h/Lecture-Notes-Week-12-2026/a", "h/Lecture-Notes-Week-12-2026/a"),
            ("https://h/xK2-9bQ_aa0fT-Wm4Zr1c_8/a.mp4", "h/…/a.mp4"),
            ("https://h/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln/a.mp4", "h/…/a.mp4"),
            ("https://h/" + String(repeating: "a/", count: 99), "h/…" + String(repeating: "/a", count: 58) + "/"),
        ] as [(String, String?)])
    func shown(url: String, text: String?) { #expect(ShownAddress(url)?.description == text) }

    @Test("system errors are described in words")
    func system() {
        #expect(TransferFailure.file(errno: 28).sentence == "the file can't be written: No space left on device")
    }
}
