import Foundation
import PageHTTP
import Testing

private func made(
    _ path: String = "/", method: PageRequest.Method = .get, _ headers: [String: String] = [:],
    remote: String = "127.0.0.1", base: String = "/"
) -> PageRequest? {
    PageRequest(method: method, target: path, base: base, headers: headers, remote: remote)
}

@Suite("ranges of files")
struct ByteRangeTests {
    @Test(
        "a range is decided as RFC 9110 says",
        arguments: [
            ("bytes=0-0", ByteRanges.Decision.part(0..<1)), ("bytes=2-", .part(2..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)), ("bytes=5-99999999999999999999", .part(5..<10)),
            ("bytes=9-9", .part(9..<10)), ("BYTES=1-2", .part(1..<3)), ("bytes = 1-2", .part(1..<3)),
            ("bytes=10-", .unsatisfiable), ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable),
            ("bytes=3-2", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole), ("bytes=1", .whole),
            ("bytes=1-2,4-5", .whole), ("items=1-2", .whole), ("bytes=+1-2", .whole), ("bytes=1--2", .whole),
        ])
    func decision(_ header: String, _ decision: ByteRanges.Decision) {
        #expect(ByteRanges.decide(header, size: 10) == decision)
    }

    @Test("an empty file has no range")
    func empty() {
        #expect(ByteRanges.decide("bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRanges.decide("bytes=-5", size: 0) == .unsatisfiable)
    }

    private func answer(_ headers: [String: String], method: PageRequest.Method = .get, tag: String = "\"t\"") throws
        -> FileAnswer
    {
        let request = try #require(made("/x", method: method, headers))
        return FileAnswer(to: request, size: 10, tag: tag, modified: Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("a part has its place in the whole; HEAD and a changed file get the whole")
    func parts() throws {
        let part = try answer(["range": "bytes=2-4"])
        #expect(part.status == 206 && part.range == 2..<5 && part.headers["content-range"] == "bytes 2-4/10")
        #expect(try answer(["range": "bytes=2-4"], method: .head).status == 200)
        #expect(try answer(["range": "bytes=2-4", "if-range": "\"t\""]).status == 206)
        #expect(try answer(["range": "bytes=2-4", "if-range": "\"u\""]).status == 200)
        // A date and a weak ETag prove nothing about bytes.
        #expect(try answer(["range": "bytes=2-4", "if-range": "Sun, 06 Nov 1994 08:49:37 GMT"]).status == 200)
        #expect(try answer(["range": "bytes=2-4", "if-range": "W/\"t\""], tag: "W/\"t\"").status == 200)
        let none = try answer(["range": "bytes=10-"])
        #expect(none.status == 416 && none.headers["content-range"] == "bytes */10")
    }

    @Test("what the client has isn't sent again")
    func conditions() throws {
        #expect(try answer(["if-none-match": "\"a\", W/\"t\""]).status == 304)
        #expect(try answer(["if-none-match": "*"]).status == 304)
        #expect(try answer(["if-none-match": "\"a\""]).status == 200)
        #expect(try answer(["if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"]).status == 304)
        // It counts only without an ETag.
        let both = ["if-none-match": "\"a\"", "if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(try answer(both).status == 200)
        #expect(try answer(["if-match": "\"a\""]).status == 412)
        #expect(try answer(["if-match": "\"t\""]).status == 200)
        #expect(try answer(["if-match": "W/\"t\""], tag: "W/\"t\"").status == 412)
        #expect(try answer([:]).headers["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}

@Suite("requests to the page")
struct PageRequestTests {
    @Test("a path is divided before it is decoded, so that an id may have a slash")
    func path() throws {
        let target = "/course/a%2Fb?q=x+y&q=z&t="
        #expect(try #require(made(target)).path == ["course", "a/b"])
        #expect(try #require(made(target)).query == ["q": "x y", "t": ""])
        #expect(try #require(made("/courses/now", base: "/courses/")).path == ["now"])
        #expect(made("/other", base: "/courses/") == nil)
        #expect(made("/a%00b") == nil)
        #expect(made("/a%FF") == nil)
        #expect(made("*") == nil)
        #expect(try #require(made("/media/a/b/../c")).path == ["media", "a", "b", "..", "c"])
    }

    @Test("relative addresses begin at the root", arguments: [("/", "./"), ("/now", "./"), ("/video/a/b", "../../")])
    func root(_ path: String, _ root: String) throws { #expect(try #require(made(path)).root == root) }
}

@Suite("who may see the page")
struct PageAccessTests {
    private let own = PageAccess(
        secret: Array(repeating: 7, count: 32), port: 8080, hosts: ["media.example.org"],
        proxies: [AddressBlock("10.0.0.0/8"), AddressBlock("::1")].compactMap { $0 }, userHeader: "X-User")

    private func decide(
        _ path: String = "/", method: PageRequest.Method = .get, _ headers: [String: String] = [:],
        form: [String: String] = [:], remote: String = "127.0.0.1"
    ) throws -> PageAccess.Decision {
        var request = try #require(
            made(path, method: method, ["host": "localhost:8080"].merging(headers) { _, own in own }, remote: remote)
        )
        request.form = form
        return own.decide(request)
    }

    @Test("the token becomes a cookie; without either there is nothing to see")
    func token() throws {
        #expect(try decide() == .refused(.stranger))
        #expect(try decide("/?token=0") == .refused(.stranger))
        guard case .welcome(let cookie) = try decide("/?token=\(own.token)") else {
            Issue.record("the token isn't taken")
            return
        }
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try decide("/", ["cookie": "a=b; \(pair)"]) == .user(nil))
        #expect(try decide("/", ["cookie": pair + "0"]) == .refused(.stranger))
    }

    @Test("a name that isn't listed is refused, whatever the request brings")
    func host() throws {
        #expect(
            try decide("/?token=\(own.token)", ["host": "evil.example:8080"]) == .refused(.host("evil.example:8080")))
        #expect(try decide("/?token=\(own.token)", ["host": "127.0.0.1:9090"]) == .refused(.host("127.0.0.1:9090")))
        #expect(
            try decide("/", ["host": "MEDIA.example.org", "x-user": "maria"], remote: "10.1.2.3") == .user("maria"))
    }

    @Test("a header names a user only if it comes from a proxy")
    func proxy() throws {
        #expect(try decide("/", ["x-user": "maria"], remote: "10.9.9.9") == .user("maria"))
        #expect(try decide("/", ["x-user": "maria"], remote: "::ffff:10.9.9.9") == .user("maria"))
        #expect(try decide("/", ["x-user": "maria"], remote: "11.0.0.1") == .refused(.proxy("11.0.0.1")))
        #expect(try decide("/", ["x-user": "maria"]) == .refused(.proxy("127.0.0.1")))
        #expect(try decide("/", ["x-user": ""], remote: "10.9.9.9") == .refused(.noUser))
    }

    @Test("a form brings the token of its user, and comes from this page")
    func forms() throws {
        let proxied = ["x-user": "maria"]
        func post(_ token: String, _ more: [String: String] = [:]) throws -> PageAccess.Decision {
            try decide(
                "/sync", method: .post, proxied.merging(more) { _, own in own }, form: ["csrf": token],
                remote: "10.0.0.1")
        }
        #expect(try post(own.formToken(of: "maria")) == .user("maria"))
        #expect(try post(own.formToken(of: "anna")) == .refused(.form))
        #expect(try post(own.formToken(of: nil)) == .refused(.form))
        #expect(try post(own.formToken(of: "maria"), ["sec-fetch-site": "cross-site"]) == .refused(.form))
        #expect(try post(own.formToken(of: "maria"), ["sec-fetch-site": "same-origin"]) == .user("maria"))
    }

    @Test("blocks of addresses")
    func blocks() throws {
        #expect(AddressBlock("localhost") == nil && AddressBlock("10.0.0.0/33") == nil && AddressBlock("") == nil)
        let block = try #require(AddressBlock("192.168.4.0/22"))
        #expect(block.contains("192.168.7.255") && !block.contains("192.168.8.0") && !block.contains("::1"))
        #expect(try #require(AddressBlock("::/0")).contains("fe80::1"))
    }
}
