import MediaTransfer
import NetworkAddresses
import TestServers
import Testing

@Suite("the network of an address")
struct NetworkScopeTests {
    static let addresses: [(String, NetworkScope)] = [
        ("127.0.0.1", .loopback), ("127.255.0.1", .loopback), ("0.0.0.0", .loopback), ("::1", .loopback),
        ("::", .loopback), ("::ffff:127.0.0.1", .loopback), ("::127.0.0.1", .loopback), ("64:ff9b::7f00:1", .loopback),
        ("2002:7f00:1::", .loopback), ("169.254.169.254", .link), ("fe80::1", .link), ("fe80::1%eth0", .link),
        ("10.0.0.1", .privateNetwork), ("172.16.0.1", .privateNetwork), ("172.31.255.255", .privateNetwork),
        ("192.168.1.1", .privateNetwork), ("100.64.0.1", .privateNetwork), ("fd00::1", .privateNetwork),
        ("fec0::1", .privateNetwork), ("::ffff:192.168.1.1", .privateNetwork), ("224.0.0.1", .privateNetwork),
        ("ff02::1", .privateNetwork), ("255.255.255.255", .privateNetwork), ("198.18.0.1", .privateNetwork),
        ("8.8.8.8", .world), ("172.32.0.1", .world), ("11.0.0.1", .world), ("2606:4700::1", .world),
        ("::ffff:8.8.8.8", .world),
    ]

    @Test("this machine, the link, a private network, or the public network")
    func addresses() {
        for (address, scope) in Self.addresses { #expect(NetworkScope(address: address) == scope, "\(address)") }
        for text in ["", "localhost", "1.2.3", "1.2.3.4.5", "::g"] { #expect(NetworkScope(address: text) == nil) }
    }

    @Test("every spelling that a URL's host may have")
    func literals() {
        for host in [
            "127.1", "0x7f.1", "0x7F000001", "2130706433", "017700000001", "127.0.0.1.", "[::1]", "[::ffff:7f00:1]",
        ] {
            #expect(NetworkScope(literal: host) == .loopback, "\(host)")
        }
        // As libcurl writes them in ASCII; where the locale lets it write none, it asks for none either.
        for host in [
            "127。0。0。1", "１２７.0.0.1", "127．0．0．1", "⑫7.0.0.1", "127.0.\u{AD}0.1", "ｌｏｃａｌｈｏｓｔ",
            "169｡254｡169｡254",
        ] {
            #expect(NetworkScope(name: host) != .world, "\(host)")
        }
        #expect(NetworkScope(literal: "3232235777") == .privateNetwork)
        for host in ["example.org", "localhost", "127.example", "beef", "a.b", "x1", ""] {
            #expect(NetworkScope(literal: host) == nil, "\(host)")
        }
        #expect(NetworkScope(name: "localhost.") == .loopback && NetworkScope(name: "a.localhost") == .loopback)
        #expect(NetworkScope(name: "example.org") == .world && NetworkScope(name: "10.1") == .privateNetwork)
    }

    @Test("a host is looked up: a private address counts more than a public one, this machine and the link less")
    func lookUp() {
        for name in ["localhost", "127.0.0.1", "[::1]", "2130706433"] {
            #expect(NetworkScope.lookUp(name, isProxied: false) == .loopback)
        }
        for (address, scope) in [("169.254.169.254", NetworkScope.link), ("10.0.0.1", .privateNetwork)] {
            for isProxied in [false, true] { #expect(NetworkScope.lookUp(address, isProxied: isProxied) == scope) }
        }
        let nowhere = NetworkScope.lookUp("nowhere.invalid", isProxied: false)
        #expect(nowhere == nil || nowhere == .world)
        #expect(NetworkScope.lookUp("nowhere.invalid", isProxied: true) == .world)
        #expect(NetworkScope.of([]) == nil && NetworkScope.of([.link]) == .link && NetworkScope.of([.world]) == .world)
        #expect(NetworkScope.of([.world, .privateNetwork, .link]) == .privateNetwork)
        #expect(NetworkScope.of([.world, .loopback]) == .world && NetworkScope.of([.loopback, .link]) == .world)
    }

    @Test(
        "a confined request reaches nothing beyond its network: the address of the connection counts, whatever the name or the redirect",
        arguments: ["127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]"])
    func confined(name: String) async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let content = TestContent(seed: 3, size: 5_000)
        let url = host.url(content).replacing("127.0.0.1", with: name)
        for confinement in [NetworkScope.world, .privateNetwork, .link] {
            let report = await bench.fetch(url, into: try bench.partial()) { $0.confinement = confinement }
            #expect(report.failure == .outOfReach && report.received == 0)
            #expect(report.failure?.verdict == .final)
        }
        #expect(host.requests().isEmpty)
        guard !name.hasPrefix("[") else { return await bench.finish() }
        // A connection that another request has made is no way around.
        let report = await bench.fetch(url, into: try bench.partial()) { $0.confinement = .loopback }
        #expect(report.failure == nil && report.scope == .loopback)
        #expect(await bench.fetch(url, into: try bench.partial()) { $0.confinement = .world }.failure == .outOfReach)
        #expect(host.requests().count == 1)
        await bench.finish()
        await host.stop()
    }
}
