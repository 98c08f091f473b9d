import ProviderHTTP
import ProviderKit
import TestServers
import Testing

/// Requests to a server that answers, and to one that misbehaves.
@Suite struct ClientTests {
    private static func outcome(
        _ url: String, by client: HTTPClient = HTTPClient(settings: HostSettings()), headers: [String: String] = [:],
        login: BasicLogin? = nil
    ) async throws -> (text: String, error: ProviderError?) {
        let address = try #require(WebAddress(url))
        do throws(ProviderError) {
            let response = try await client.get(address, headers: headers, login: login)
            return (String(decoding: response.body, as: UTF8.self), nil)
        } catch {
            #expect(!"\(error)".contains("canary"))
            return ("\(error)", error)
        }
    }

    @Test("requests go over one connection, with the user agent and the login")
    func connections() async throws {
        let host = try await FaultHost.start()
        host.script("/a", [.text("hello", "text/plain")])
        let client = HTTPClient(settings: HostSettings(userAgent: "test/1"))
        for _ in 0..<20 {
            let login = BasicLogin(username: "anna", password: "pässword")
            #expect(try await Self.outcome(host.baseURL + "/a", by: client, login: login).text == "hello")
        }
        let requests = host.requests()
        // A busy machine may lose one.
        #expect(requests.count == 20 && Set(requests.map(\.connection)).count <= 2)
        #expect(requests.allSatisfy { $0.fields["user-agent"] == "test/1" })
        #expect(requests.allSatisfy { $0.fields["authorization"] == "Basic YW5uYTpww6Rzc3dvcmQ=" })
        await host.stop()
    }

    @Test("a hundred requests at once don't wait for a slow one")
    func parallel() async throws {
        let host = try await FaultHost.start()
        host.script("/slow", [.text("slow", "text/plain").held])
        host.script("/fast", [.text("fast", "text/plain")])
        let url = host.baseURL
        async let slow = Self.outcome(url + "/slow")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let text = try await Self.outcome(url + "/fast").text
                    #expect(text == "fast")
                }
            }
            try await group.waitForAll()
        }
        host.release("/slow")
        #expect(try await slow.text == "slow")
        await host.stop()
    }

    @Test("a request that nobody waits for any more is given up at once")
    func cancellation() async throws {
        let host = try await FaultHost.start()
        host.script("/slow", [.text("slow", "text/plain").held])
        let url = host.baseURL
        let task = Task { try await Self.outcome(url + "/slow").text }
        while host.requests().isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value == "unavailable: the request to 127.0.0.1:\(host.port) was cancelled")
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Self.outcome(url + "/slow").text
        }
        late.cancel()
        #expect(try await late.value.hasSuffix("was cancelled"))
        await host.stop()
    }

    @Test("logins and cookies don't go to another origin, other fields do")
    func origins() async throws {
        let (host, other) = (try await FaultHost.start(), try await FaultHost.start())
        other.script("/target", [.text("there", "text/plain")])
        host.script("/target", [.text("here", "text/plain")])
        for (target, isHere) in [(other, false), (host, true)] {
            let outcome = try await Self.outcome(
                "\(host.baseURL)/redirect/1?to=\(PercentEncoding.encoded(target.baseURL + "/target"))",
                headers: ["Cookie": "session=canary", "X-Plain": "1"],
                login: BasicLogin(username: "anna", password: "canary"))
            #expect(outcome.text == (isHere ? "here" : "there"))
            let request = try #require(target.requests().last)
            #expect(request.path == "/target" && request.fields["x-plain"] == "1")
            #expect((request.fields["authorization"] != nil) == isHere && (request.fields["cookie"] != nil) == isHere)
        }
        let loop = try await Self.outcome(host.baseURL + "/redirect/loop")
        #expect(loop.text == "unavailable: 127.0.0.1:\(host.port) redirects more than 5 times")
        await host.stop()
        await other.stop()
    }

    @Test(
        "what is posted follows a redirect within its server; to another one not a byte of it goes",
        arguments: [307, 308])
    func posts(status: Int) async throws {
        let (host, other) = (try await FaultHost.start(), try await FaultHost.start())
        let client = HTTPClient(settings: HostSettings())
        let form = Array("password=canary".utf8)
        for server in [host, other] { server.script("/target", [.text("here", "text/plain")]) }
        for (target, isHere) in [(host, true), (other, false)] {
            let there = PercentEncoding.encoded(target.baseURL + "/target")
            let address = try #require(WebAddress("\(host.baseURL)/redirect/1?status=\(status)&to=\(there)"))
            do throws(ProviderError) {
                let response = try await client.send(.form(address, [(name: "password", value: "canary")]))
                #expect(isHere && response.status == 200)
            } catch {
                let message = "127.0.0.1:\(host.port) redirects what is sent to it to another server"
                #expect(!isHere && error == ProviderError(.unavailable, message))
            }
        }
        #expect(host.requests().map(\.path).suffix(3) == ["/target", "/redirect/1", "/redirect/0"])
        #expect(host.requests().allSatisfy { $0.method == "POST" && $0.body == form })
        // Whatever had been sent to it would have come before this.
        _ = try await Self.outcome(other.baseURL + "/target")
        #expect(other.requests().map(\.method) == ["GET"] && other.requests().allSatisfy(\.body.isEmpty))
        await host.stop()
        await other.stop()
    }

    @Test("what a server does wrong is said in a sentence without the query")
    func faults() async throws {
        let host = try await FaultHost.start()
        let name = "127.0.0.1:\(host.port)"
        var quick = HTTPClient(settings: HostSettings(), timeout: .seconds(1), bodyBound: 1 << 20)
        let text = ScriptedAnswer.text(String(repeating: "x", count: 1000), "application/xml")
        host.script("/half", [text.cut(500)])
        host.script("/stalls", [text.cut(500, stalls: true)])
        let url = host.baseURL
        for (path, said) in [
            ("/half?t=canary", "unavailable: the answer of \(name) ends in the middle"),
            ("/stalls?t=canary", "unavailable: \(name) doesn't answer within 1 s"),
            ("/media/1/2000000?t=canary", "unavailable: the answer of \(name) is larger than 1 MiB"),
            ("/media/1/1000?gzip&t=canary", "unavailable: the answer of \(name) can't be decompressed"),
            ("/media/1/10?status=500&t=canary", "unavailable: \(name) answers 500"),
        ] {
            #expect(try await Self.outcome(url + path, by: quick).text == said)
        }
        let limited = try await Self.outcome(url + "/media/1/10?status=429&retry-after=7", by: quick)
        #expect(
            limited.error
                == ProviderError(
                    .rateLimited, "\(name) asks for fewer requests (429)", retryAfter: .seconds(7),
                    server: "http://\(name)"))
        let busy = try await Self.outcome(url + "/media/1/10?status=503&retry-after=date", by: quick)
        #expect(busy.error?.kind == .unavailable && busy.error?.retryAfter != nil)
        await host.stop()
        #expect(
            try await Self.outcome("http://127.0.0.1:1/?canary", by: quick).text
                == "unavailable: can't connect to 127.0.0.1:1")
        quick.settings.proxy = Secret("http://anna:canary@\(name)")
        #expect(try await Self.outcome("http://media.example.org/?canary", by: quick).error?.kind == .unavailable)
        quick.settings = HostSettings(caFile: "/nonexistent/canary.pem")
        #expect(try await Self.outcome("https://127.0.0.1:1/", by: quick).error?.kind == .unavailable)
    }

    @Test("a proxy of the settings gets the requests")
    func proxy() async throws {
        let host = try await FaultHost.start()
        host.script("http://media.example.org/a", [.text("by proxy", "text/plain")])
        let client = HTTPClient(settings: HostSettings(proxy: host.baseURL))
        _ = try await Self.outcome("http://media.example.org/a", by: client)
        #expect(host.requests().map(\.target) == ["http://media.example.org/a"])
        await host.stop()
    }

    @Test("no field can begin another one")
    func fieldInjection() async throws {
        let host = try await FaultHost.start()
        host.script("/a", [.text("x", "text/plain")])
        _ = try await Self.outcome(host.baseURL + "/a", headers: ["X-A": "1\r\nX-B: 2", "X-C": "3"])
        #expect(host.requests().last?.fields["x-b"] == nil && host.requests().last?.fields["x-c"] == "3")
        await host.stop()
    }

    @Test("all cookies that a response sets are there, in their order")
    func setCookies() async throws {
        let host = try await FaultHost.start()
        var answer = ScriptedAnswer.text("", "text/plain")
        answer.lines = ["Set-Cookie: .AUTH=a=b; path=/; HttpOnly", "set-cookie: token=%3D", "Set-Cookie: old=; path=/"]
        host.script("/", [answer])
        let address = try #require(WebAddress(host.baseURL + "/"))
        let cookies = try await HTTPClient(settings: HostSettings()).get(address).setCookies
        #expect(cookies.map(\.name) == [".AUTH", "token", "old"])
        #expect(cookies.map(\.value) == ["a=b", "%3D", ""])
        await host.stop()
    }

    @Test("pages follow by their Link fields, without the login at another origin, and end")
    func pages() async throws {
        let (host, other) = (try await FaultHost.start(), try await FaultHost.start())
        var first = ScriptedAnswer.text("1", "text/plain")
        first.lines = ["Link: </1>; rel=prev", "Link: </2>; rel=\"next\""]
        var second = ScriptedAnswer.text("2", "text/plain")
        second.lines = ["Link: <\(other.baseURL)/3>; rel=next"]
        host.script("/1", [first])
        host.script("/2", [second])
        other.script("/3", [.text("3", "text/plain")])
        let client = HTTPClient(settings: HostSettings())
        let address = try #require(WebAddress(host.baseURL + "/1"))
        let login = BasicLogin(username: "anna", password: "canary")
        var found = ""
        try await client.pages(address, headers: ["X-A": "1", "Accept": "text/plain"], login: login) { page in
            found += String(decoding: page.body, as: UTF8.self)
        }
        #expect(found == "123")
        #expect(host.requests().allSatisfy { $0.fields["authorization"] != nil && $0.fields["x-a"] == "1" })
        let last = try #require(other.requests().first)
        #expect(
            last.fields["authorization"] == nil && last.fields["x-a"] == nil && last.fields["accept"] == "text/plain")
        var round = ScriptedAnswer.text("2", "text/plain")
        round.lines = ["Link: </1>; rel=next"]
        host.script("/2", [round])
        await #expect(throws: ProviderError.self) { try await client.pages(address) { _ in } }
        await host.stop()
        await other.stop()
    }

    @Test("a host's own words come before its status")
    func judge() async throws {
        let host = try await FaultHost.start()
        var odd = ScriptedAnswer.text("good", "text/plain")
        odd.status = 500
        host.script("/slow", [.status(403)])
        host.script("/odd", [odd])
        host.script("/no", [.status(404)])
        var client = HTTPClient(settings: HostSettings())
        client.judge = { response in
            switch response.status {
            case 403: .failed(ProviderError(.rateLimited, "the host asks for a pause"))
            case 500: .good
            default: .status
            }
        }
        let slow = try await Self.outcome(host.baseURL + "/slow", by: client).error
        #expect(slow?.kind == .rateLimited && slow?.server == "http://127.0.0.1:\(host.port)")
        #expect(try await Self.outcome(host.baseURL + "/odd", by: client).text == "good")
        #expect(try await Self.outcome(host.baseURL + "/no", by: client).error?.kind == .notFound)
        await host.stop()
    }
}
