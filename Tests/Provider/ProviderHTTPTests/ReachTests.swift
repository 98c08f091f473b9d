import Foundation
import NetworkAddresses
import ProviderKit
import TestServers
import Testing

@testable import ProviderHTTP

/// Where the requests of a confined client go.
@Suite struct ReachTests {
    private static func client(_ endpoint: String, proxy: String? = nil) throws -> HTTPClient {
        let own: WebAddress = try #require(WebAddress(endpoint))
        return HTTPClient(settings: HostSettings(proxy: proxy), confinedTo: own)
    }

    /// The body, or the error.
    private static func outcome(_ url: String, by client: HTTPClient) async throws -> String {
        let address = try #require(WebAddress(url))
        do throws(ProviderError) {
            return String(decoding: try await client.get(address).body, as: UTF8.self)
        } catch {
            #expect(error.server == nil || !error.message.contains("a redirect or a link"))
            return error.message
        }
    }

    private static let refusal =
        "an address on this machine or in a private network, which only a server there may name"

    @Test("the public network, that of the server, and any that the server itself is in")
    func rule() {
        let home = RequestReach(server: "nas.lan", scopes: [.link, .privateNetwork])
        let (far, unknown) = (
            RequestReach(server: "h", scopes: [.world]), RequestReach(server: "h", scopes: [])
        )
        for (reach, name, allowed) in [
            (home, "router.lan", [.world, .privateNetwork]), (home, "nas.lan", [.world, .privateNetwork, .link]),
            (far, "other", [.world]), (far, "h", [.world]), (unknown, "other", [.world]),
            (unknown, "h", [.world, .privateNetwork, .link, .loopback]),
        ] as [(RequestReach, String, Set<NetworkScope>)] {
            for scope in [NetworkScope.world, .privateNetwork, .link, .loopback] {
                #expect(reach.allows(scope, for: name) == allowed.contains(scope), "\(reach) \(name) \(scope)")
            }
        }
        for (text, name) in [
            ("http://h/a", "h"), ("http://h:81/", "h"), ("http://[::1]:8/", "[::1]"), ("https://[::1]/", "[::1]"),
        ] { #expect(WebAddress(text)?.name == name) }
    }

    @Test(
        "nothing is sent to a network that the address of the user isn't in, whatever its name",
        arguments: ["127.0.0.1", "localhost", "2130706433", "127.1"])
    func names(name: String) async throws {
        let host = try await FaultHost.start()
        host.script("/a", [.text("here", "text/plain")])
        let url = host.baseURL.replacing("127.0.0.1", with: name) + "/a"
        // A connection that another request has made is no way around.
        #expect(try await Self.outcome(url, by: HTTPClient(settings: HostSettings())) == "here")
        for endpoint in ["http://192.168.0.7/feed", "https://169.254.0.7/", "https://1.2.3.4/"] {
            let text = try await Self.outcome(url, by: Self.client(endpoint))
            #expect(text.hasSuffix(Self.refusal), "\(text)")
        }
        #expect(host.requests().count == 1)
        for endpoint in ["http://127.0.0.1/feed", "http://localhost:1/", url] {
            #expect(try await Self.outcome(url, by: Self.client(endpoint)) == "here")
        }
        await host.stop()
    }

    @Test("a redirect leads to no other network either")
    func redirects() async throws {
        let host = try await FaultHost.start()
        host.script("/a", [.text("here", "text/plain")])
        let client = try Self.client(host.baseURL + "/feed")
        func redirect(to url: String) -> String {
            "\(host.baseURL)/redirect/1?to=\(PercentEncoding.encoded(url))"
        }
        for target in [
            "http://169.254.169.254/latest/meta-data", "http://10.1.2.3/", "http://[fe80::1]/",
            "http://192.168.1.1:8080/",
            "http://2852039166/",
        ] {
            let text = try await Self.outcome(redirect(to: target), by: client)
            #expect(text.hasSuffix(Self.refusal), "\(target): \(text)")
        }
        for target in ["http://localhost:\(host.port)/a", "\(host.baseURL)/a"] {
            #expect(try await Self.outcome(redirect(to: target), by: client) == "here")
        }
        await host.stop()
    }

    @Test("behind a proxy, which resolves names itself, the name decides")
    func proxied() async throws {
        let proxy = try await FaultHost.start()
        proxy.script("http://media.invalid/a", [.text("by proxy", "text/plain")])
        for endpoint in ["http://feeds.invalid/feed", "http://media.invalid/feed"] {
            let client = try Self.client(endpoint, proxy: proxy.baseURL)
            _ = try await Self.outcome("http://media.invalid/a", by: client)
            #expect(proxy.requests().last?.target == "http://media.invalid/a")
            let count = proxy.requests().count
            for name in ["localhost", "a.localhost", "127.0.0.1", "2130706433", "10.0.0.1", "[::1]", "127。0。0。1"] {
                let text = try await Self.outcome("http://\(name)/a", by: client)
                #expect(text.hasSuffix(Self.refusal), "\(name): \(text)")
            }
            #expect(proxy.requests().count == count)
        }
        let near = try Self.client("http://localhost/feed", proxy: proxy.baseURL)
        _ = try await Self.outcome("http://localhost:81/a", by: near)
        #expect(proxy.requests().last?.target == "http://localhost:81/a")
        await proxy.stop()
    }

    @Test("what no_proxy names is asked directly: the address of the connection counts")
    func exempt() async throws {
        await #expect(processExitsWith: .success) {
            let host = try await FaultHost.start()
            setenv("http_proxy", "http://127.0.0.1:1", 1)
            setenv("no_proxy", "localhost", 1)
            let url = "http://localhost:\(host.port)/media/8/10"
            for (endpoint, isAllowed) in [("http://10.0.0.1/", false), ("http://localhost/", true)] {
                for settings in [HostSettings(), HostSettings(proxy: "http://127.0.0.1:1")] {
                    guard let address = WebAddress(url), let own = WebAddress(endpoint) else { preconditionFailure() }
                    let client = HTTPClient(settings: settings, confinedTo: own)
                    let response = try? await client.get(address)
                    precondition((response?.body.count == 10) == isAllowed, "\(endpoint)")
                }
            }
            precondition(host.requests().count == 2)
        }
    }

    @Test("a proxy for https gets no request of http: the address of the connection counts")
    func otherScheme() async throws {
        await #expect(processExitsWith: .success) {
            let (host, proxy) = (try await FaultHost.start(), try await FaultHost.start())
            setenv("https_proxy", proxy.baseURL, 1)
            let url = "http://localhost:\(host.port)/media/8/10"
            for (endpoint, isAllowed) in [("http://10.0.0.1/", false), ("http://localhost/", true)] {
                guard let address = WebAddress(url), let own = WebAddress(endpoint) else { preconditionFailure() }
                // As coursefetch names the proxy of its own environment.
                let client = HTTPClient(settings: HostSettings(proxy: proxy.baseURL), confinedTo: own)
                let response = try? await client.get(address)
                precondition((response?.body.count == 10) == isAllowed, "\(endpoint)")
            }
            precondition(proxy.requests().isEmpty)
        }
    }
}
