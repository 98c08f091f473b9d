import Foundation
import MediaTransfer
import TestServers
import Testing
import TextFormats

@Suite struct FaultTransferTests {
    private let content = TestContent(seed: 5, size: 300_000)

    /// One row of the table: what the host does, and what must come of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var query: String
        var offset = 0
        var condition = ResumeCondition.checksum
        var failure: TransferFailure?
        /// Bytes that must have been written; nil where the network decides.
        var written: Int?

        var testDescription: String { "\(query.isEmpty ? "well behaved" : query) from \(offset)" }
    }

    private static let tag = ResumeCondition.etag("\"5-300000\"")
    private static let date = ResumeCondition.lastModified("Tue, 14 Nov 2023 22:13:20 GMT")

    private static let freshCases: [Case] = [
        Case(query: "", failure: nil, written: 300_000),
        Case(query: "informational=3", failure: nil),
        Case(query: "headers=150", failure: nil),
        Case(query: "extra=1000", failure: nil, written: 300_000),
        Case(query: "cut=100000", failure: .truncated(received: 100_000, expected: 300_000)),
        Case(query: "cut=0", failure: .truncated(received: 0, expected: 300_000)),
        Case(query: "reset=100000", failure: .network(.broken)),
        Case(query: "length=lie", failure: .truncated(received: 300_000, expected: 301_000)),
        Case(query: "length=none", failure: .lengthUnknown(framed: false), written: 300_000),
        Case(query: "length=chunked", failure: .lengthUnknown(framed: true), written: 300_000),
        Case(query: "length=chunked&cut=100000", failure: .truncated(received: 100_000, expected: nil)),
        Case(query: "gzip", failure: .badResponse(.compressed), written: 0),
        Case(query: "double=content-length", failure: .badResponse(.duplicateField("content-length")), written: 0),
        Case(query: "headers=3000", failure: .badResponse(.tooManyFields), written: 0),
        Case(query: "header-bytes=80000", failure: .badResponse(.headTooLarge), written: 0),
        Case(query: "raw=Bad%0DHeader:%20x", failure: .badResponse(.unreadable), written: 0),
        Case(query: "raw=no%20colon", failure: .badResponse(.unreadable), written: 0),
        Case(query: "raw=Bad%20Name:%20x", failure: .badResponse(.malformedField), written: 0),
        Case(query: "raw=Transfer-Encoding:%20gzip", failure: .badResponse(.transferEncoding), written: 0),
        Case(query: "informational=50", failure: .badResponse(.informational), written: 0),
        Case(query: "type=text/html", failure: .refused(status: 200, .page("text/html")), written: 0),
        Case(query: "type=application/json", failure: .refused(status: 200, .page("application/json")), written: 0),
        Case(query: "status=403", failure: .refused(status: 403, .status), written: 0),
        Case(query: "status=429&retry-after=7", failure: .status(429, retryAfter: .seconds(7)), written: 0),
        Case(query: "status=503&retry-after=date", failure: .status(503, retryAfter: .seconds(7)), written: 0),
        Case(query: "status=500", failure: .status(500, retryAfter: nil), written: 0),
        Case(query: "status=304", failure: .status(304, retryAfter: nil), written: 0),
    ]

    private static let resumedCases: [Case] = [
        Case(query: "", offset: 100_000, condition: tag, failure: nil, written: 200_000),
        Case(query: "", offset: 100_000, condition: date, failure: nil, written: 200_000),
        Case(
            query: "cut=10000", offset: 100_000, condition: date, failure: .truncated(received: 0, expected: 200_000),
            written: 0),
        Case(
            query: "cut=20000", offset: 100_000, condition: date,
            failure: .truncated(received: 3616, expected: 200_000),
            written: 3616),
        Case(query: "", offset: 100_000, failure: nil, written: 200_000),
        Case(query: "", offset: 299_999, condition: tag, failure: nil, written: 1),
        Case(query: "range=ignore", offset: 100_000, condition: tag, failure: .rangeIgnored, written: 0),
        Case(query: "etag=request", offset: 100_000, condition: tag, failure: .rangeIgnored, written: 0),
        Case(
            query: "etag=request&if-range=ignore", offset: 100_000, condition: tag, failure: .identityChanged(.etag),
            written: 0),
        Case(
            query: "etag=none&if-range=ignore", offset: 100_000, condition: tag, failure: .identityChanged(.etag),
            written: 0),
        Case(query: "etag=weak", offset: 100_000, condition: tag, failure: .rangeIgnored, written: 0),
        Case(
            query: "modified=change&if-range=ignore", offset: 100_000, condition: .lastModified("x"),
            failure: .identityChanged(.lastModified), written: 0),
        Case(query: "range=shift", offset: 100_000, condition: tag, failure: .rangeMismatch(.otherOffset), written: 0),
        Case(query: "range=total", offset: 100_000, condition: tag, failure: .identityChanged(.total), written: 0),
        Case(query: "range=star", offset: 100_000, condition: tag, failure: nil, written: 200_000),
        Case(query: "range=none", offset: 100_000, failure: .rangeMismatch(.noContentRange), written: 0),
        Case(query: "range=malformed", offset: 100_000, failure: .rangeMismatch(.malformed), written: 0),
        Case(
            query: "range=short", offset: 100_000, condition: tag,
            failure: .truncated(received: 100_000, expected: 200_000), written: 100_000),
        Case(
            query: "double=content-range", offset: 100_000, condition: tag,
            failure: .badResponse(.duplicateField("content-range")), written: 0),
        Case(query: "gzip", offset: 100_000, condition: tag, failure: .badResponse(.compressed), written: 0),
        Case(
            query: "length=chunked&extra=50", offset: 100_000, condition: tag, failure: .tooLong(.promised),
            written: 200_000),
        Case(
            query: "range=416&unsatisfied=none", offset: 100_000, condition: tag,
            failure: .rangeMismatch(.unsatisfiable), written: 0),
        Case(query: "range=416", offset: 100_000, condition: tag, failure: .identityChanged(.total), written: 0),
        Case(query: "status=410", offset: 100_000, condition: tag, failure: .refused(status: 410, .status), written: 0),
        Case(
            query: "type=text/html", offset: 100_000, condition: tag,
            failure: .refused(status: 206, .page("text/html")),
            written: 0),
        Case(
            query: "cut=1000", offset: 100_000, condition: tag, failure: .truncated(received: 1000, expected: 200_000)),
        Case(query: "reset=1000", offset: 100_000, condition: tag, failure: .network(.broken)),
    ]

    @Test("a fresh start with a misbehaving host", arguments: freshCases)
    func fresh(_ row: Case) async throws {
        try await run(row)
    }

    @Test("a resumed transfer with a misbehaving host", arguments: resumedCases)
    func resumed(_ row: Case) async throws {
        try await run(row)
    }

    private func run(_ row: Case) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let report = try await bench.expect(
            host.url(content, row.query), content, at: row.offset, row.condition, fails: row.failure,
            written: row.written)
        #expect(host.requests().count == 1)
        let overlap = if case .lastModified = row.condition { 16_384 } else { 0 }
        #expect(host.requests().first?.rangeStart == (row.offset > 0 ? row.offset - overlap : nil))
        #expect(host.requests().first?.fields["accept-encoding"] == "identity")
        if case .badResponse? = row.failure {} else { #expect(report.head?.status == host.requests().first?.status) }
        await bench.finish()
        await host.stop()
    }

    @Test("a body without length is complete if it has the expected size, and never goes beyond it")
    func expectedSize() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        for length in ["none", "chunked"] {
            let url = host.url(content, "length=\(length)")
            try await bench.expect(url, content, fails: nil) { $0.expectedSize = 300_000 }
            try await bench.expect(url, content, fails: .tooLong(.expected), written: 200_000) {
                $0.expectedSize = 200_000
            }
            try await bench.expect(url, content, fails: .tooLong(.maximum), written: 100_000) { $0.maxSize = 100_000 }
            try await bench.expect(url, content, fails: .truncated(received: 300_000, expected: 400_000)) {
                $0.expectedSize = 400_000
            }
        }
        try await bench.expect(
            host.url(content), content, fails: .sizeMismatch(expected: 200_000, announced: 300_000), written: 0
        ) { $0.expectedSize = 200_000 }
        try await bench.expect(host.url(content), content, fails: .tooLong(.maximum), written: 0) { $0.maxSize = 1 }
        await bench.finish()
        await host.stop()
    }

    @Test("zero bytes are an error", arguments: ["", "length=none", "length=chunked"])
    func empty(_ query: String) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        try await bench.expect(host.url(TestContent(seed: 1, size: 0), query), content, fails: .empty)
        await bench.finish()
        await host.stop()
    }

    @Test("416 is complete if it has our size and validator; with a known total nothing is requested")
    func complete() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let tag = Self.tag
        let unknown = try await bench.expect(
            host.url(content), content, at: 300_000, tag, knowsTotal: false, fails: nil, written: 0)
        #expect(unknown.head?.status == 416)
        #expect(host.requests().count == 1)
        let known = try await bench.expect(host.url(content), content, at: 300_000, tag, fails: nil, written: 0)
        #expect(known.head == nil)
        #expect(host.requests().count == 1)
        try await bench.expect(
            host.url(content, "range=416&unsatisfied=300001"), content, at: 300_000, tag, knowsTotal: false,
            fails: .identityChanged(.total), written: 0)
        try await bench.expect(
            host.url(content, "range=416&etag=other"), content, at: 300_000, .checksum, knowsTotal: false, fails: nil,
            written: 0)
        await bench.finish()
        await host.stop()
    }

    @Test("if another size is expected than that of all bytes, the server is asked whether it has another version")
    func otherSize() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        for (query, condition, failure) in [
            ("", Self.tag, .sizeMismatch(expected: 300_004, announced: 300_000)),
            ("", Self.date, .sizeMismatch(expected: 300_004, announced: 300_000)),
            ("etag=request", Self.tag, .rangeIgnored),
        ] as [(String, ResumeCondition, TransferFailure)] {
            let before = host.requests().count
            try await bench.expect(
                host.url(content, query), content, at: 300_000, condition, fails: failure, written: 0
            ) { $0.expectedSize = 300_004 }
            #expect(host.requests().count == before + 1)
        }
        await bench.finish()
        await host.stop()
    }

    @Test(
        "partial responses without a total: each proves only itself, until 416 says where the file ends",
        arguments: ["", "&length=chunked", "&length=none"])
    func parts(_ framing: String) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let url = host.url(content, "range=star&cap=150000" + framing)
        for (offset, written) in [(100_000, 150_000), (250_000, 50_000)] {
            try await bench.expect(
                url, content, at: offset, Self.tag, knowsTotal: false, fails: .partOnly, written: written)
        }
        try await bench.expect(url, content, at: 300_000, Self.tag, knowsTotal: false, fails: nil, written: 0)
        try await bench.expect(
            host.url(content, "range=early" + framing), content, at: 100_000, Self.tag, knowsTotal: false,
            fails: framing.isEmpty
                ? .rangeMismatch(.contradictoryLength) : .truncated(received: 100_000, expected: 200_000))
        try await bench.expect(
            host.url(content, "range=multipart" + framing), content, at: 100_000, Self.tag, knowsTotal: false,
            fails: .rangeMismatch(.multipart), written: 0)
        await bench.finish()
        await host.stop()
    }

    @Test(
        "a silent server is given up, in the body and in the header", arguments: ["stall=1000", "stall-head=20"])
    func stall(_ query: String) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        try await bench.expect(host.url(content, query), content, fails: .stalled) {
            $0.stallTimeout = .milliseconds(400)
        }
        await bench.finish()
        await host.stop()
    }

    @Test("an expired URL is refused only at the next request, and the bytes stay")
    func expiry() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let url = host.url(content, "expire=100000")
        let first = try await bench.expect(
            url, content, fails: .truncated(received: 100_000, expected: 300_000), written: 100_000)
        #expect(first.head?.etag == "\"5-300000\"")
        try await bench.expect(url, content, at: 100_000, Self.tag, fails: .refused(status: 410, .status), written: 0)
        try await bench.expect(host.url(content), content, at: 100_000, Self.tag, fails: nil, written: 200_000)
        await bench.finish()
        await host.stop()
    }

    @Test("another entity tag for each connection is detected in the header, and no byte is written")
    func balancer() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let url = host.url(content, "etag=connection&cut=100000&times=1")
        let first = try await bench.expect(url, content, fails: .truncated(received: 100_000, expected: 300_000))
        let tag = try #require(first.head?.etag)
        let second = try await bench.expect(url, content, at: 100_000, .etag(tag), fails: .rangeIgnored, written: 0)
        #expect(second.head?.etag != tag)
        try await bench.expect(url, content, at: 100_000, .checksum, fails: nil, written: 200_000)
        await bench.finish()
        await host.stop()
    }

    @Test("with a date as validator nothing is written unless the repeated bytes equal those of the partial")
    func sameDate() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        func resume(_ held: [UInt8]) async throws -> TransferReport {
            let partial = try bench.partial(holding: held)
            let report = await bench.fetch(host.url(content, "etag=none"), into: partial) {
                $0.start = .resume(at: Int64(held.count), total: 300_000, condition: Self.date)
            }
            #expect(report.failure == nil || (report.received == 0 && (try? bench.folder.read("file.part")) == held))
            return report
        }
        for count in [1, 1000, 16_384, 100_000] {
            #expect(try await resume(Array(content.bytes(0..<count))).failure == nil)
            var other = Array(content.bytes(0..<count))
            other[count - 1] ^= 1
            #expect(try await resume(other).failure == .identityChanged(.bytes))
        }
        await bench.finish()
        await host.stop()
    }

    @Test(
        "the same with an ETag made of time and size",
        arguments: [("655af2f0-493e0", true), ("1-493e0-655af2f0", true), ("655af2f0-493e1", false), ("493e0", false)])
    func sameTimeAndSize(_ tag: String, _ isCompared: Bool) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let partial = try bench.partial(holding: [UInt8](repeating: 7, count: 100_000))
        let report = await bench.fetch(host.url(content, "etag=%22\(tag)%22"), into: partial) {
            $0.start = .resume(at: 100_000, total: 300_000, condition: .etag("\"\(tag)\""))
        }
        #expect(report.failure == (isCompared ? .identityChanged(.bytes) : nil))
        #expect(report.received == (isCompared ? 0 : 200_000))
        await bench.finish()
        await host.stop()
    }

    @Test("only strong validators are offered for resuming")
    func validators() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let weak = try await bench.expect(host.url(content, "etag=weak&modified=now"), content, fails: nil)
        #expect(weak.head?.etag == nil)
        #expect(weak.head?.lastModified == nil)
        let dated = try await bench.expect(host.url(content, "etag=none&skew=100"), content, fails: nil)
        #expect(dated.head?.lastModified == "Tue, 14 Nov 2023 22:13:20 GMT")
        let skew = try #require(dated.head?.skew)
        #expect(abs(skew / .seconds(1) - 100) < 3)
        await bench.finish()
        await host.stop()
    }

    @Test("a header that begins with a continuation is refused, after any response over the same connection")
    func continuation() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let folded = host.url(content, "first=%20folded:%20x")
        for _ in 0..<3 {
            try await bench.expect(host.url(content), content, fails: nil)
            let report = await bench.fetch(folded, into: try bench.partial())
            guard case .badResponse = report.failure else {
                Issue.record("\(report)")
                continue
            }
            #expect(report.received == 0)
        }
        // The hops of one transfer, too.
        let redirect = host.url("/redirect/2?first=X:%20y&to=" + PercentEncoding.encoded(folded))
        let report = await bench.fetch(redirect, into: try bench.partial())
        #expect(report.received == 0)
        #expect(report.failure != nil)
        await bench.finish()
        await host.stop()
    }

    @Test("no error contains a secret")
    func secrets() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench { $0.userAgent = "test" }
        for query in ["status=403", "cut=10", "reset=10", "gzip", "type=text/html", "headers=3000"] {
            let report = await bench.fetch(
                host.url(content, query + "&token=canary"), into: try bench.partial()
            ) { request in
                let field = HTTPField(name: "Authorization", value: "Bearer canary")
                request.secrets = [ScopedSecret(.field(field), for: [host.baseURL].compactMap { URLScope(prefix: $0) })]
            }
            let failure = try #require(report.failure)
            #expect(!"\(failure) \(failure.sentence) \(report)".contains("canary"))
        }
        #expect(host.requests().allSatisfy { $0.fields["authorization"] == "Bearer canary" })
        #expect(host.requests().allSatisfy { $0.fields["user-agent"] == "test" })
        await bench.finish()
        await host.stop()
    }
}
