import Checkout
import Foundation
import ProviderKit
import Subprocess
import SystemPackage
import Testing
import YAMLSource

@testable import BundledProviders
@testable import ProviderHost
@testable import demo

/// The plugins that come with coursefetch, started for real.
@Suite struct BundledPluginTests {
    /// The registry of this checkout, whose Swift plugins lie beside the tests.
    static func registry(_ environment: [String: String] = [:]) -> PluginRegistry {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return PluginRegistry.discover(
            extraFolders: [FilePath(Checkout.path("Plugins"))],
            environment: environment.merging(["PATH": path]) { $1 }, executable: products.appending("coursefetch"))
    }

    /// The folder that the tests were built into.
    static let products: FilePath = {
        final class Here {}
        return FilePath(Bundle(for: Here.self).bundlePath)
    }()

    private func plugin(_ name: String, _ environment: [String: String] = [:]) throws -> Plugin {
        let registry = Self.registry(environment)
        return try #require(registry.plugins[name], "\(registry.broken)")
    }

    @Test("all of them are found, without a warning")
    func found() {
        let registry = Self.registry()
        #expect(
            registry.plugins.keys.sorted() == [
                "akamai", "baijiayun", "bigbluebutton", "bunny", "canvas", "cloudflare-stream", "cloudfront", "demo",
                "direct", "feed", "ilias", "index", "internet-archive", "kaltura", "kolibri", "moodle", "mux",
                "opencast", "openedx", "panopto", "peertube", "rclone", "s3", "secure-link", "webdav", "yt-dlp",
            ])
        #expect(registry.plugins.values.allSatisfy { $0.warnings.isEmpty })
    }

    // MARK: - direct

    @Test(
        "direct fills a template, percent-encoded",
        arguments: [
            (["url": "https://h/{id}.mp4"], "https://h/a%20b%2F%C3%BC.mp4"),
            (
                ["url": "https://h/{course}/{chapter}/{n}?x={flag}", "n": 7, "flag": true],
                "https://h/course/chapter/7?x=true"
            ),
            (["url": "https://h/{odd}", "odd": "{id}\"$x"], "https://h/%7Bid%7D%22%24x"),
            (["url": "https://h/plain%20text"], "https://h/plain%20text"),
        ] as [([String: JSONValue], String)])
    func direct(_ parameters: [String: JSONValue], _ wanted: String) async throws {
        try await Sandbox().run(try plugin("direct")) { provider in
            let got = try await provider.resolve(.video("a b/ü", parameters))
            #expect(got == Resolution(url: wanted))
        }
    }

    @Test("direct passes on the other parameters, and reports invalid ones")
    func directErrors() async throws {
        try await Sandbox().run(try plugin("direct")) { provider in
            let all = try await provider.resolve(
                .video("v", ["url": "https://h/{id}", "extension": "webm", "media_type": "video/webm", "kind": "hls"]))
            #expect(all == Resolution(url: "https://h/v", kind: .hls, fileExtension: "webm", mediaType: "video/webm"))
            #expect(
                await failure(provider, .video("v", ["url": "https://h/{host}"]))
                    == ProviderError(.invalidParameters, "url names {host}, which has no value", parameter: "host"))
            #expect(
                await failure(provider, .video("v"))
                    == ProviderError(.invalidParameters, "url is missing", parameter: "url"))
            #expect(provider.brokenReason == nil)
        }
    }

    @Test("those in Swift are one program, but for the demo")
    func oneProgram() {
        let registry = Self.registry()
        // yt-dlp is in Python.
        let swift = registry.plugins.filter { !["demo", "yt-dlp"].contains($0.key) }
        #expect(swift.count == 24)
        for (name, plugin) in swift {
            #expect(plugin.launch.executable.lastComponent?.string == "coursefetch-providers")
            #expect(plugin.launch.arguments == [name])
        }
    }

    // MARK: - secure-link

    @Test(
        "MD5 is that of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
            (String(repeating: "x", count: 55), "04364420e25c512fd958a70738aa8f72"),
            (String(repeating: "x", count: 56), "668a72d5ba17f08e62dabcafad6db14b"),
            (String(repeating: "x", count: 64), "c1bb4f81d892b2d57947682aeb252456"),
        ])
    func md5(_ text: String, _ digest: String) {
        #expect(
            MD5.digest(text.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == digest)
    }

    @Test(
        "the signature is the one that nginx computes",
        arguments: [
            ("2147483647/s/link127.0.0.1 secret", "_e4Nc3iduzkWRm01TBBNYw"),
            ("1000 testsecret", "gEK-_NZKBkhIzAlt7-VMbQ"),
        ])
    func mark(_ text: String, _ mark: String) {
        #expect(LinkSigner.mark(text) == mark)
    }

    @Test("secure-link signs with the request's clock and the login's secret")
    func secureLink() async throws {
        try await Sandbox().run(try plugin("secure-link")) { provider in
            let login = try await provider.login(
                LoginRequest(user: "anna", now: .now, secrets: ["host": "Media.example.org:443", "secret": "other"]))
            #expect(login.credentials.value == ["hosts": ["https://media.example.org": "other"]])
            let more = try await provider.login(
                LoginRequest(
                    user: "anna", now: .now, credentials: login.credentials,
                    secrets: ["host": "https://Media.example.org:443/", "secret": "secret"]))
            #expect(more.credentials.value["hosts"]?["https://media.example.org"] == "secret")
            let now = Date(timeIntervalSince1970: 2_147_483_647 - 3600 + 0.75)
            let got = try await provider.resolve(
                .video(
                    "link",
                    [
                        "base": "https://media.example.org/", "path": "/s/{id}", "remote_addr": "127.0.0.1",
                        "string": "{expires}{path}{remote_addr} {secret}", "extension": "mp4",
                    ], credentials: more.credentials.value, now: now))
            #expect(
                got
                    == Resolution(
                        url: "https://media.example.org/s/link?md5=_e4Nc3iduzkWRm01TBBNYw&expires=2147483647",
                        expiresAt: Date(timeIntervalSince1970: 2_147_483_647), fileExtension: "mp4"))
            let stream = try await provider.resolve(
                .video(
                    "a b",
                    [
                        "base": "https://media.example.org", "path": "/{id}/index.m3u8", "kind": "hls",
                        "url": "{base}/hls/{md5}/{expires}{path}", "string": "{expires}{folder} {secret}",
                    ], credentials: more.credentials.value, now: now))
            let mark = LinkSigner.mark("2147483647/a b/ secret")
            #expect(
                stream
                    == Resolution(
                        url: "https://media.example.org/hls/\(mark)/2147483647/a%20b/index.m3u8", kind: .hls,
                        expiresAt: Date(timeIntervalSince1970: 2_147_483_647)))
            let bare = try await provider.resolve(
                .video(
                    "v",
                    [
                        "base": "https://h", "path": "/{file}", "file": "a b/c.mp4",
                        "string": "{expires}{path} {secret}",
                        "lifetime": 1000, "md5_argument": "st", "expires_argument": "",
                    ], credentials: ["hosts": ["h": "testsecret"]], now: Date(timeIntervalSince1970: 0)))
            #expect(bare.url == "https://h/a%20b/c.mp4?st=\(LinkSigner.mark("1000/a b/c.mp4 testsecret"))")
        }
    }

    @Test("a secret belongs to one host and scheme: no catalog can have another's signed, whatever it contains")
    func otherHosts() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("theirs\n", to: "conf/coursefetch/secure-link/h.secret", mode: 0o600)
        try sandbox.write("h theirs\n", to: "conf/coursefetch/secrets", mode: 0o600)
        let environment = ["XDG_CONFIG_HOME": sandbox.folder.appending("conf").string]
        try await sandbox.run(try plugin("secure-link", environment)) { provider in
            for base in [
                "https://evil", "https://h:8443", "https://h.evil", "https://evil/h", "https://h@evil", "https://",
                // A link that everybody on the way can read is another server's.
                "http://h", "http://h:443",
            ] {
                for more in [[:], ["secret_file": "secrets"]] as [[String: JSONValue]] {
                    let error = await failure(
                        provider,
                        .video(
                            "v", ["base": .string(base)].merging(more) { $1 }, credentials: ["hosts": ["h": "theirs"]]))
                    #expect(error?.kind == .authRequired || error?.kind == .invalidParameters, "\(base) \(more)")
                }
            }
            for string in ["{expires} {secret}", "{path} {secret}", "{path}{expires}", "{path}", "secret"] {
                #expect(
                    await failure(provider, .video("v", ["base": "https://h", "string": .string(string)]))
                        == ProviderError(
                            .invalidParameters, "string must contain {path}, {expires} and {secret}",
                            parameter: "string"))
            }
            #expect(
                await failure(
                    provider, .video("v", ["base": "https://h"], credentials: ["secret": "of no host", "hosts": [:]]))
                    == nil, "its own file")
            #expect(
                await failure(provider, .video("v", ["base": "https://x"], credentials: ["secret": "of no host"]))?.kind
                    == .authRequired)
        }
    }

    @Test("without a login the secret comes from a file in the configuration folder that only its owner can read")
    func secretFile() async throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(
            "testsecret\nmore\n", to: "conf/coursefetch/secure-link/h:8080.secret", mode: 0o600)
        let other = try sandbox.write("g x\nh:8080 testsecret\n", to: "conf/coursefetch/elsewhere", mode: 0o644)
        try sandbox.write("h:8080 testsecret\n", to: "conf/outside", mode: 0o600)
        let environment = ["HOME": sandbox.folder.string, "XDG_CONFIG_HOME": sandbox.folder.appending("conf").string]
        try await sandbox.run(try plugin("secure-link", environment)) { provider in
            func resolve(_ more: [String: JSONValue]) async -> String {
                let parameters: [String: JSONValue] = [
                    "base": "https://h:8080", "string": "{expires}{path} {secret}", "path": "/v", "lifetime": 1000,
                ]
                do {
                    return try await provider.resolve(
                        .video("v", parameters.merging(more) { $1 }, now: Date(timeIntervalSince1970: 0))
                    ).url
                } catch {
                    return "\(error)"
                }
            }
            let signed = "https://h:8080/v?md5=\(LinkSigner.mark("1000/v testsecret"))&expires=1000"
            #expect(await resolve([:]) == signed)
            #expect(
                await resolve(["secret_file": "elsewhere"])
                    == "auth_required: everybody can read the secret in \(other); run: chmod 600 \(other)")
            chmod(other.string, 0o600)
            #expect(await resolve(["secret_file": "elsewhere"]) == signed)
            for outside in ["../outside", other.string, "~/elsewhere", "secure-link/../../outside", "./elsewhere", ""] {
                #expect(
                    await resolve(["secret_file": .string(outside)]).hasPrefix("invalid_parameters (secret_file): "),
                    "\(outside)")
            }
            try sandbox.write("testsecret\n", to: "conf/coursefetch/secure-link/http_h:8080.secret", mode: 0o600)
            #expect(await resolve(["base": "http://h:8080"]) == signed.replacing("https", with: "http"))
            #expect(
                await resolve(["base": "https://other"]) == """
                    auth_required: no secret for other: log in, or write it to \
                    \(file.removingLastComponent())/other.secret (mode 600)
                    """)
            #expect(
                await resolve(["path": "/{nope}"])
                    == "invalid_parameters (path): path names {nope}, which has no value")
        }
    }
}
