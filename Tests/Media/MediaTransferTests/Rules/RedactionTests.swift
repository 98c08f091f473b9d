import Foundation
import MediaTransfer
import Testing

@Suite struct RedactionTests {
    /// Every type of this room that may hold a URL, a token or a header field, with a secret wherever it has room for one.
    private func holders() throws -> [Any] {
        let url = "https://canary:canary@h/?token=canary"
        var request = TransferRequest(url: url)
        request.fields = [HTTPField(name: "Referer", value: url)]
        let scope = try #require(URLScope(prefix: url))
        request.secrets = [
            ScopedSecret(.field(HTTPField(name: "Authorization", value: "Bearer canary")), for: [scope]),
            ScopedSecret(.query(.init(name: "t", value: "canary")), for: [scope]),
            ScopedSecret(.cookie(name: "sid", value: "canary"), for: [scope]),
        ]
        request.start = .resume(at: 5, total: 10, condition: .etag("\"canary\""))
        var raw = RawHead(status: 302)
        for name in ["location", "etag", "content-type"] { _ = raw.add(name, "\"canary\"") }
        let head = try ResponseHead(raw, origin: #require(Origin(url: "https://h/")), receivedAt: Date())
        var parser = HeadParser()
        for line in ["HTTP/1.1 302 Found", "Location: \(url)", "ETag: \"canary\""] {
            _ = parser.feed(Array((line + "\r\n").utf8))
        }
        let report = TransferReport(head: head, url: url, received: 1, length: 1, failure: nil, seconds: 1)
        return [
            request, request.fields[0], request.secrets, request.secrets.map(\.part), scope, request.start,
            ResumeCondition.etag("canary"), raw, head, parser, parser.feed(Array("\r\n".utf8)), report,
            try #require(ParsedURL(url)), try #require(RedirectPolicy(url: url)),
            ResponseJudge(request: request, isRedirected: false), ResponseDecision.redirect(url),
            TransferProgress(), BodyBuffer(reusing: Array("canary".utf8)), TransferEngine(),
        ]
    }

    @Test("types that may hold a URL, a token or a header field don't print it, alone or inside another value")
    func printing() throws {
        for holder in try holders() {
            let values: [Any] = [holder, [holder], ["key": holder], (1, holder), Optional.some(holder) as Any]
            for value in values {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(reflecting: value), dumped] {
                    #expect(!text.contains("canary"), "\(type(of: holder))")
                }
            }
        }
    }
}
