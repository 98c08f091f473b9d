import Foundation
import ProviderKit
import SystemPackage
import Testing

@testable import ProviderHost

/// The input and output of plugins that behave.
@Suite struct ConversationTests {
    @Test("answers may come in any order")
    func anyOrder() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script, concurrency: 4)) { provider in
            let urls = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for index in 0..<8 {
                    group.addTask { (index, try await provider.resolve(.video("held-\(index)")).url) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for index in 0..<8 { #expect(urls[index] == "https://media.example.org/held-\(index)") }
        }
    }

    @Test("no more requests are in flight than the manifest allows")
    func concurrency() async throws {
        let sandbox = try Sandbox()
        // Answers 4 at a time only: with 3 in flight it never does.
        let plugin = try sandbox.python(OddPlugin.script, concurrency: 3, timeout: .milliseconds(700))
        try await sandbox.run(plugin) { provider in
            let errors = await withTaskGroup(of: ProviderError?.self) { group in
                for index in 0..<4 { group.addTask { await failure(provider, .video("held-\(index)")) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.count == 4)
            #expect(errors.allSatisfy { $0?.kind == .providerFailed })
        }
    }

    @Test("each kind of error arrives with its fields")
    func errors() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            for kind in ProviderError.Kind.ofPlugins where kind != .renewalNeeded {
                let error = """
                    {"code": -32000, "message": "because", "data": {"kind": "\(kind.rawValue)", "retry_after": 1.5,
                    "parameter": "host", "more": [1]}}
                    """
                let got = await failure(provider, .video("error", ["error": .string(error)]))
                #expect(got == ProviderError(kind, "because", retryAfter: .milliseconds(1500), parameter: "host"))
            }
        }
    }

    @Test(
        "an error of an unknown kind is retried in a fresh process, then fails the video",
        arguments: [
            (
                #"{"code": -32601, "message": "unknown method"}"#,
                "it answered that the method is unknown: unknown method"
            ),
            (#"{"message": "boo", "data": {"kind": "tired"}}"#, "it answered an error of unknown kind 'tired': boo"),
            (
                #"{"message": "boo", "data": {"kind": "provider_failed"}}"#,
                "it answered an error of unknown kind 'provider_failed': boo"
            ),
            (#"{"message": "boo", "data": "text"}"#, "it answered an error without a kind: boo"),
            (#"{}"#, "it answered an error without a kind"),
        ])
    func unknownErrors(_ error: String, _ reason: String) async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            let before = try await provider.resolve(.video("count"))
            #expect(before.size == 1)
            let got = await failure(provider, .video("error", ["error": .string(error)]))
            #expect(got == ProviderError(.pluginFault, "plugin odd failed for this request: \(reason)"))
            let again = try await provider.resolve(.video("count"))
            #expect(again.size == 1, "not a fresh process")
        }
    }

    @Test("a message without a text gets one, secrets and queries are removed")
    func messages() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            let silent = #"{"data": {"kind": "drm"}}"#
            #expect(
                await failure(provider, .video("error", ["error": .string(silent)]))?.message
                    == "the video is DRM-protected")
            let loud = #"{"message": "s3cr3t at http://u:p@h/x?token=1\u001b[31m", "data": {"kind": "gone"}}"#
            let request = ResolveRequest.video(
                "error", ["error": .string(loud)], credentials: ["login": ["a", "s3cr3t"]])
            #expect(await failure(provider, request)?.message == "<redacted> at http://h/x?…")
            _ = try await provider.resolve(.video("log"))
        }
        #expect(sandbox.log.lines.contains("warning: <redacted> is https://h/x?…"))
    }

    @Test("an abandoned request is cancelled at once; the next request is answered")
    func cancellation() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script, concurrency: 2)) { provider in
            // Held until four have come, which never happens.
            let held = Task { await failure(provider, .video("held")) }
            #expect(await url(provider, "a") == "https://media.example.org/a")
            held.cancel()
            #expect(await held.value?.kind == .cancelled)
            #expect(await url(provider, "b") == "https://media.example.org/b")
        }
    }

    @Test("open requests fail as cancelled when the run ends, and so do later ones")
    func end() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script, concurrency: 2)) { provider in
            async let open = failure(provider, .video("held"))
            _ = try await provider.resolve(.video("a"))
            await provider.shutDown()
            #expect(await open?.kind == .cancelled)
            #expect(await failure(provider, .video("b"))?.kind == .cancelled)
        }
    }

    @Test("a plugin gets PATH, HOME, LANG, TZ, the variables of its manifest, and nothing else; it runs in its folder")
    func surroundings() async throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            """
            name: env
            protocol: 1
            run: [./env.sh]
            environment: [EXTRA, MISSING]
            """, to: "plugins/env/plugin.yaml")
        try sandbox.write(
            #"""
            #!/bin/sh
            read -r line
            names=$(env | sed 's/=.*//' | grep -v -e '^PWD$' -e '^_$' -e '^SHLVL$' | sort | tr '\n' ',')
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9][0-9]*\).*/\1/')
            echo '{"id":'"$id"',"result":{"url":"https://h/","headers":{"X-Names":"'"$names"'","X-Folder":"'"$(pwd -P)"'"}}}'
            """#, to: "plugins/env/env.sh", mode: 0o755)
        let registry = PluginRegistry.discover(
            extraFolders: [sandbox.folder.appending("plugins")],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8", "TZ": "UTC", "EXTRA": "1", "SECRET": "2",
            ], executable: sandbox.folder.appending("bin/coursefetch"))
        let plugin = try #require(registry.plugins["env"])
        try await sandbox.run(plugin) { provider in
            let headers = try await provider.resolve(.video("a")).headers
            #expect(headers["X-Names"] == "EXTRA,HOME,LANG,PATH,TZ,")
            let folder = URL(filePath: plugin.folder.string).resolvingSymlinksInPath().path(percentEncoded: false)
            #expect(headers["X-Folder"] == folder)
        }
    }

    @Test("list and login are sent only to plugins that support them")
    func otherMethods() async throws {
        let sandbox = try Sandbox()
        let script = #"""
            exec jq -c --unbuffered 'if .method == "list" then {id, result: {title: .params.course.title,
              videos: ["a", {id: "b", parameters: {n: 1}}], next: .params.cursor}}
              else {id, result: {credentials: {token: .params.secrets.password}, expires_at: "2026-11-21T02:00:00Z"}} end'
            """#
        var plugin = try sandbox.shell(script)
        try await sandbox.run(plugin) { provider in
            let list = ListRequest(user: "anna", now: .now, course: .init(id: "c", title: "Course"), cursor: "2")
            let listing = try await provider.list(list)
            let videos = [Listing.Video(id: "a"), Listing.Video(id: "b", parameters: ["n": 1])]
            #expect(listing == Listing(title: "Course", videos: videos, next: "2"))
            let login = try await provider.login(LoginRequest(user: "anna", now: .now, secrets: ["password": "pw"]))
            #expect(login.credentials.value == ["token": "pw"])
        }
        plugin.manifest.methods = ["resolve"]
        try await sandbox.run(plugin) { provider in
            await #expect(throws: ProviderError(.unsupported, "plugin odd doesn't have login")) {
                try await provider.login(LoginRequest(user: "anna", now: .now, secrets: [:]))
            }
        }
    }
}
