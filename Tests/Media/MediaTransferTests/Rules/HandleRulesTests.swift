import Foundation
import NetworkAddresses
import TestServers
import Testing
import TextFormats

@testable import MediaTransfer

/// The rules that avoid known vulnerabilities of libcurl: docs/threat-model.md has a list.
@Suite struct HandleRulesTests {
    @Test(
        "a handle is reused only from 8.1.0 on, and never with a proxy from the environment",
        arguments: [
            (0x07_58_01, false, false), (0x08_00_01, false, false), (0x08_01_00, false, true),
            (0x08_14_00, false, true), (0x08_01_00, true, false), (0x08_14_00, true, false), (0x07_58_01, true, false),
        ] as [(UInt32, Bool, Bool)])
    func rule(version: UInt32, isBehindProxy: Bool, isKept: Bool) {
        #expect(EasyHandles.mayKeepIdle(version, isBehindProxy: isBehindProxy) == isKept)
    }

    @Test("a handle that may not be reused is freed when it is given back", arguments: [true, false])
    func givenBack(mayKeep: Bool) {
        let handles = EasyHandles(configuration: TransferConfiguration(), keepsIdle: mayKeep)
        let easy = handles.take()
        handles.giveBack(easy)
        #expect(handles.idle == (mayKeep ? [easy] : []))
        handles.giveBack(handles.exchange(handles.take()))
        #expect(handles.idle.count == (mayKeep ? 1 : 0))
    }

    @Test(
        "a proxy is set by libcurl's five variables, unless they are empty",
        arguments: [
            (["http_proxy": "x"], true), (["https_proxy": "x"], true), (["HTTPS_PROXY": "x"], true),
            (["all_proxy": "x"], true), (["ALL_PROXY": "x"], true), (["http_proxy": ""], false), ([:], false),
            (["HTTP_PROXY": "x", "no_proxy": "x"], false),
        ] as [([String: String], Bool)])
    func variables(environment: [String: String], isSet: Bool) {
        #expect(EnvironmentProxy(environment).isSet == isSet)
    }

    @Test("a request goes to the proxy of its scheme, unless no_proxy has its host or a name above that")
    func requests() {
        let one = EnvironmentProxy(["https_proxy": "x", "no_proxy": " .Lan, media.example.org. ,10.0.0.0/8"])
        #expect(one.isUsed(scheme: "https", host: "example.org") && !one.isUsed(scheme: "http", host: "example.org"))
        for host in ["lan", "nas.lan", "NAS.lan.", "media.example.org", "a.media.example.org"] {
            #expect(!one.isUsed(scheme: "https", host: host), "\(host)")
        }
        for host in ["plan", "nas.lan.org", "example.org", "10.0.0.1", "[::1]"] {
            #expect(one.isUsed(scheme: "https", host: host), "\(host)")
        }
        let none = EnvironmentProxy(["all_proxy": "x", "NO_PROXY": "*"])
        #expect(none.isSet && !none.isUsed(scheme: "http", host: "example.org"))
        let all = EnvironmentProxy(["ALL_PROXY": "x", "no_proxy": ""])
        #expect(all.isUsed(scheme: "http", host: "h") && all.isUsed(scheme: "https", host: "h"))
    }

    /// A name of this many bytes, in labels that are short enough.
    private static func name(_ count: Int) -> String {
        String(repeating: "\(String(repeating: "a", count: 49)).", count: count / 50)
            + String(repeating: "b", count: count % 50)
    }

    @Test("no URL may have a host of more than 253 bytes, however it is spelled")
    func longNames() throws {
        #expect(ParsedURL("http://\(Self.name(253))/x")?.origin.host.utf8.count == 253)
        for host in [Self.name(254), Self.name(1000), String(repeating: "ü", count: 127)] {
            #expect(ParsedURL("http://\(host)/x") == nil)
            #expect(ParsedURL("http://h/")?.resolving("//\(host)/x") == nil)
            var policy = try #require(RedirectPolicy(url: "http://h/a"))
            #expect(policy.follow("http://\(host)/b") == .badLocation)
        }
        // A byte in three characters is a byte.
        #expect(ParsedURL("http://\(String(repeating: "%61", count: 254))/") == nil)
        #expect(ParsedURL("http://\(String(repeating: "%61", count: 60))/")?.origin.host.utf8.count == 60)
    }

    @Test("a name that is too long never reaches a SOCKS proxy, not even by a redirect")
    func socks() async throws {
        // The environment is a process's own, so a process of its own.
        await #expect(processExitsWith: .success) {
            let host = try await FaultHost.start()
            setenv("http_proxy", "socks5h://127.0.0.1:\(host.port)", 1)
            setenv("no_proxy", "127.0.0.1", 1)
            let bench = try Workbench()
            let long = "http://\(HandleRulesTests.name(254))/x"
            let refused = await bench.fetch(long, into: try bench.partial())
            precondition(
                refused.failure == .invalidRequest("the URL isn't an absolute http or https URL"), "\(refused)")
            precondition(host.connections == 0)
            let redirect = host.url("/redirect/0?to=" + PercentEncoding.encoded(long))
            let redirected = await bench.fetch(redirect, into: try bench.partial())
            precondition(redirected.failure == .redirect(.badLocation), "\(redirected)")
            precondition(host.connections == 1)
            // One that is as long as may be is sent there.
            let close = Task { await bench.fetch("http://\(HandleRulesTests.name(253))/x", into: try bench.partial()) }
            try await until("the proxy is asked") { host.connections == 2 }
            close.cancel()
            _ = try await close.value
            await bench.finish()
        }
    }

    @Test("with a proxy, which resolves names itself, the URL's host counts for a confined request")
    func confined() async throws {
        await #expect(processExitsWith: .success) {
            let host = try await FaultHost.start()
            setenv("http_proxy", host.baseURL, 1)
            setenv("no_proxy", "none.invalid", 1)
            let bench = try Workbench()
            for name in ["localhost", "a.localhost", "127.0.0.1", "2130706433", "10.0.0.1", "[::1]"] {
                let near = await bench.fetch("http://\(name)/media/8/1000.mp4", into: try bench.partial()) {
                    $0.confinement = .world
                }
                precondition(near.failure == .outOfReach, "\(name): \(near)")
            }
            precondition(host.requests().isEmpty)
            // The proxy itself is on this machine.
            let far = await bench.fetch("http://media.invalid/media/8/1000.mp4", into: try bench.partial()) {
                $0.confinement = .world
            }
            precondition(far.failure == nil && far.scope == .world, "\(far)")
            await bench.finish()
        }
    }
}
