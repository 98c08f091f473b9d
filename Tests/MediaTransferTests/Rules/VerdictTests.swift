import MediaTransfer
import Testing

@Suite struct VerdictTests {
    @Test(
        "each failure has the consequence that helps",
        arguments: [
            (.refused(status: 403, .status), .resolveAgain), (.refused(status: 200, .login), .resolveAgain),
            (.refused(status: 200, .page("text/html")), .resolveAgain), (.status(400, retryAfter: nil), .resolveAgain),
            (.status(429, retryAfter: .seconds(7)), .retryHost(after: .seconds(7))),
            (.status(500, retryAfter: nil), .retryHost(after: nil)),
            (.status(503, retryAfter: .seconds(1)), .retryHost(after: .seconds(1))),
            (.status(408, retryAfter: nil), .retry), (.status(202, retryAfter: nil), .retry),
            (.status(405, retryAfter: nil), .final), (.status(407, retryAfter: nil), .final),
            (.status(451, retryAfter: nil), .final), (.status(304, retryAfter: nil), .final),
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

    @Test("a media type that a server made up doesn't reach the text")
    func quoting() {
        let failure = TransferFailure.refused(status: 200, .page("text/html\u{1B}[2J+json"))
        #expect(failure.sentence == "the server answered 200 with another media type")
    }

    @Test("system errors are told in words")
    func system() {
        #expect(TransferFailure.file(errno: 28).sentence == "the file can't be written: No space left on device")
    }
}
