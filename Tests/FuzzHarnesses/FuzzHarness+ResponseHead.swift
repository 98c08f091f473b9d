import Foundation
import MediaTransfer

extension FuzzHarness {
    /// Heads of answers, line by line: what is accepted stays within what the request asked for, and a redirect leads to
    /// the web only.
    static let responseHead = FuzzHarness(
        name: "head",
        texts: [
            """
            HTTP/1.1 200 OK\r
            Date: Sun, 06 Nov 1994 08:49:37 GMT\r
            Content-Type: video/mp4; codecs="avc1"\r
            Content-Length: 1000\r
            ETag: "abc"\r
            Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT\r
            \r

            """,
            """
            HTTP/1.1 206 Partial Content
            Date: Sunday, 06-Nov-94 08:49:37 GMT
            Content-Range: bytes 100-999/1000
            Content-Length: 900
            ETag: "abc"
            Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT


            """,
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/2 302 \r\nLocation: //other:81/b?c#d\r\n\r\n",
            "HTTP/1.0 416 No\nContent-Range: bytes */100\nETag: \"abc\"\n\n",
            "HTTP/1.1 503 Busy\nRetry-After: Sun Nov  6 08:49:37 2094\nTransfer-Encoding: chunked, identity\n\nTrailer: x\n",
            "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Type: text/html, a/b\nDate: x\nRetry-After: 120\n\n",
        ],
        words: [
            "HTTP/1.1 ", "206", "416", "302", "\r\n", "\n\n", ": ", "Content-Length: ", "Content-Range: bytes ", "*/",
            "/*", "Location: ", "https://", "http://u:p@", "//", "\\", "..", "#", "Date: ", "Last-Modified: ",
            "ETag: \"",
            "W/", "Retry-After: ", "Transfer-Encoding: ", "chunked", "identity", "Content-Type: ",
            "multipart/byteranges",
            "text/html", "9223372036854775807", "\t", " ", "\u{0}", "é", ",",
        ]
    ) { bytes in
        var parser = HeadParser()
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            switch parser.feed(line) {
            case .more: continue
            case .refused: return false
            case .complete(let raw): return try HeadPromises.check(raw)
            }
        }
        return false
    }
}

/// Properties of every header, whatever the request.
private enum HeadPromises {
    private static let url = "https://host/a/b.mp4?x=y"
    private static let starts: [TransferRequest.Start] = [
        .beginning, .resume(at: 100, total: 1000, condition: .etag("\"abc\"")),
        .resume(at: 100, total: nil, condition: .lastModified("Sun, 06 Nov 1994 08:49:36 GMT")),
        .resume(at: 100, total: 1000, condition: .checksum), .range(100..<1000),
    ]

    static func check(_ raw: RawHead) throws -> Bool {
        guard let origin = Origin(url: url) else { return false }
        let received = Date(timeIntervalSince1970: 784_111_777)
        let head: ResponseHead
        do { head = try ResponseHead(raw, origin: origin, receivedAt: received) } catch { return false }
        try promise((head.total ?? 0) >= 0, "a total of \(head.total ?? 0)")
        try promise(head.retryAfter.map { $0 >= .zero && $0 <= .seconds(366 * 86_400) } ?? true, "a wait without end")
        try promise(head.etag.map { $0.hasPrefix("\"") } ?? true, "a weak tag counts")
        for start in starts {
            var request = TransferRequest(url: url)
            request.start = start
            for maximum in [nil, 500 as Int64?] {
                request.maxSize = maximum
                let decision = ResponseJudge(request: request, isRedirected: false).decide(raw, head)
                try check(decision, raw, request)
            }
        }
        return true
    }

    private static func check(_ decision: ResponseDecision, _ raw: RawHead, _ request: TransferRequest) throws {
        switch decision {
        case .accept(let plan):
            let isWhole = request.start == .beginning
            try promise(raw.status == (isWhole ? 200 : 206), "\(raw.status) for \(request.start)")
            try promise(plan.start <= plan.limit, "nothing may be written: \(plan)")
            try promise(plan.limit <= request.maxSize ?? .max, "more may be written than is wanted: \(plan)")
            if let whole = plan.whole {
                try promise(whole >= plan.start && plan.limit <= max(whole, plan.start), "beyond its end: \(plan)")
            }
            try promise(
                plan.outcome(length: plan.start, problem: .cancelled) != nil || plan.start == plan.whole, "\(plan)")
        case .complete:
            try promise(raw.status == 416, "complete by \(raw.status)")
            guard case .resume(let offset, _, _) = request.start else {
                throw BrokenPromise(description: "\(decision)")
            }
            let range = raw.value("content-range").flatMap(ContentRange.init)
            try promise(range == .unsatisfied(total: offset), "complete by another length")
        case .redirect(let location):
            guard var policy = RedirectPolicy(url: request.url) else { return }
            if policy.follow(location) == nil {
                let next = policy.current
                try promise(next.origin.scheme == "https", "from https to \(next.origin.scheme)")
                try promise(next.user == nil && next.password == nil, "a redirect makes up a user")
                try promise(ParsedURL(next.text) == next, "\(next.text) isn't in normal form")
                try promise(policy.follow(location) != nil || policy.hops == 2, "a hop isn't counted")
            } else {
                try promise(policy.hops == 0 && policy.current.text == request.url, "a bad redirect leads on")
            }
        case .refuse: return
        }
    }
}
