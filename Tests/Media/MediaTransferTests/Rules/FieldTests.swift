import Foundation
import MediaTransfer
import Testing

@Suite struct FieldTests {
    @Test(
        "reads Content-Range and nothing that only resembles it",
        arguments: [
            ("bytes 0-99/1000", ContentRange.part(first: 0, last: 99, total: 1000)),
            ("bytes 0-99/*", .part(first: 0, last: 99, total: nil)),
            ("BYTES 5-5/6", .part(first: 5, last: 5, total: 6)),
            ("bytes */1000", .unsatisfied(total: 1000)),
            ("bytes */*", nil), ("bytes 5-4/10", nil), ("bytes 0-10/10", nil), ("bytes 0-/10", nil),
            ("bytes -1-5/10", nil), ("bytes=0-9/10", nil), ("items 0-9/10", nil), ("bytes 0-9", nil),
            ("bytes 0-9/10/11", nil), ("bytes +0-9/10", nil), ("bytes 0-99999999999999999999/*", nil), ("", nil),
        ] as [(String, ContentRange?)])
    func contentRange(_ text: String, _ expected: ContentRange?) {
        #expect(ContentRange(text) == expected)
    }

    private func head(_ fields: [(String, String)], _ status: Int = 200) throws -> ResponseHead {
        var raw = RawHead(status: status)
        for (name, value) in fields { _ = raw.add(name, value) }
        return try ResponseHead(
            raw, origin: #require(Origin(url: "http://h/")), receivedAt: Date(timeIntervalSince1970: 784_111_770))
    }

    @Test(
        "keeps strong entity tags only",
        arguments: [
            ("\"a\"", true), ("\"\"", true), ("W/\"a\"", false), ("a", false), ("\"a", false), ("\"", false),
            ("\"a\"b\"", false), ("\"a b\"", false), ("\"ä\"", false),
        ])
    func etag(_ text: String, _ isKept: Bool) throws {
        #expect(try head([("etag", text)]).etag == (isKept ? text : nil))
    }

    @Test(
        "keeps Last-Modified only where it is a strong validator",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", false),
            ("Sun, 06 Nov 1994 08:49:38 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", false),
            ("Sun, 06 Nov 1994 08:49:36 GMT", nil, false), ("yesterday", "Sun, 06 Nov 1994 08:49:37 GMT", false),
        ] as [(String, String?, Bool)])
    func lastModified(_ modified: String, _ date: String?, _ isKept: Bool) throws {
        let fields = [("last-modified", modified)] + (date.map { [("date", $0)] } ?? [])
        #expect(try head(fields).lastModified == (isKept ? modified : nil))
    }

    @Test("the origin's clock is its Date and the age of a stored response")
    func originDate() throws {
        let sent = ("date", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(try head([sent]).originDate?.timeIntervalSince1970 == 784_111_777)
        #expect(try head([sent, ("age", "600")]).originDate?.timeIntervalSince1970 == 784_112_377)
        #expect(try head([sent, ("age", "600"), ("age", "700")]).originDate?.timeIntervalSince1970 == 784_112_477)
        #expect(try head([sent, ("age", "soon")]).originDate?.timeIntervalSince1970 == 784_111_777)
        #expect(try head([("age", "600")]).originDate == nil)
        #expect(try head([sent, ("age", "600")]).date == nil)
    }

    @Test("two entity tags count as none")
    func twoTags() throws {
        #expect(try head([("etag", "\"a\""), ("etag", "\"b\"")]).etag == nil)
    }

    @Test(
        "reads Retry-After in both forms, against the server's own clock",
        arguments: [
            ("120", 120), ("0", 0), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("99999999999", 31_536_000), ("-5", nil), ("soon", nil), ("1.5", nil),
        ] as [(String, Int?)])
    func retryAfter(_ text: String, _ seconds: Int?) throws {
        let head = try head([("retry-after", text), ("date", "Sun, 06 Nov 1994 08:49:37 GMT")], 503)
        #expect(head.retryAfter == seconds.map { .seconds($0) })
        #expect(head.skew == .seconds(7))
    }

    @Test("the date of a cached answer isn't used as the server's clock", arguments: ["0", "3600", "soon"])
    func cached(_ age: String) throws {
        let head = try head([
            ("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("age", age), ("last-modified", "Sun, 06 Nov 1994 08:49:36 GMT"),
        ])
        #expect(head.skew == nil)
        #expect(head.lastModified != nil)
    }

    @Test("takes the size of the whole file from the field that the status implies")
    func total() throws {
        #expect(try head([("content-length", "10")]).total == 10)
        #expect(try head([("content-length", "10"), ("content-range", "bytes 5-14/20")], 206).total == 20)
        #expect(try head([("content-length", "10"), ("content-range", "bytes */20")], 416).total == 20)
        #expect(try head([("content-length", "10"), ("transfer-encoding", "chunked")]).total == nil)
        #expect(try head([("content-length", "10")], 404).total == nil)
    }

    @Test(
        "lengths and totals beyond 2⁵³ are rejected",
        arguments: [9_007_199_254_740_993, 9_000_000_000_000_000_000, Int64.max])
    func absurd(_ size: Int64) throws {
        for (fields, status) in [
            ([("content-length", "\(size)")], 200), ([("content-range", "bytes 0-9/\(size)")], 206),
            ([("content-range", "bytes 0-\(size - 1)/*")], 206), ([("content-range", "bytes */\(size)")], 416),
        ] {
            #expect(throws: BadResponse.absurdLength) { try head(fields, status) }
        }
        #expect(try head([("content-length", "\(1 << 53)")]).total == 1 << 53)
        #expect(try head([("content-range", "bytes */\(1 << 53)")], 416).total == 1 << 53)
    }

    @Test("knows how the end of the body is determined")
    func framing() throws {
        #expect(try head([("content-length", "10")]).framing == .length)
        #expect(try head([("content-length", "10"), ("transfer-encoding", "Chunked")]).framing == .chunked)
        #expect(try head([]).framing == .untilClose)
        #expect(throws: BadResponse.transferEncoding) { try head([("transfer-encoding", "gzip, chunked")]) }
        for text in ["", "-1", "+1", "1,1", "1 1", "0x10", "9223372036854775808"] {
            #expect(throws: BadResponse.malformedLength) { try head([("content-length", text)]) }
        }
    }
}
