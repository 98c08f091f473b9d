import Foundation
import Logging
import ProviderKit
import Testing

@testable import ProviderHost

/// The lines of the protocol shown by `-vv`, and the folder that a plugin may write to.
@Suite struct TraceTests {
    /// Answers with secrets in all places that the protocol has for them.
    private static let script = """
        import json, sys
        for line in sys.stdin:
            request = json.loads(line)
            params = request["params"]
            result = {"url": "https://cdn.example.org/v.mp4?sig=c4n4ry1", "headers": {"X-Key": "c4n4ry2", "Referer": "https://a/b?c4n4ry3"},
                "token": {"value": "c4n4ry4", "in": "header", "name": "Authorization"}, "credentials": {"t": "c4n4ry5"},
                "extension": "mp4"}
            if params.get("video", {}).get("id") == "several": result["tokens"] = [result.pop("token")]
            if request["method"] == "login": result = {"credentials": {"folder": params["data_folder"], "p": params["parameters"]}}
            sys.stdout.write(json.dumps({"id": request["id"], "result": result}) + "\\n")
            sys.stdout.flush()
        """

    @Test("requests and answers are logged completely, without secrets")
    func trace() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.script), level: .trace) { provider in
            _ = try await provider.resolve(
                .video("v-1", ["page": "https://u:c4n4ry6@h/p?q=c4n4ry7"], credentials: ["password": "c4n4ry\"8"]))
        }
        let lines = sandbox.log.lines.filter { $0.hasPrefix("trace: ") }
        #expect(lines.count == 2)
        #expect(!lines.joined().contains("c4n4ry"), "\(lines)")
        #expect(
            lines.first?.hasPrefix(#"trace: request: {"id":1,"jsonrpc":"2.0","method":"resolve","params":{"#) == true)
        #expect(lines.first?.contains(#""credentials":"<redacted>""#) == true)
        #expect(lines.first?.contains(#""page":"https://h/p?…""#) == true)
        let answer = """
            trace: answer: {"id":1,"result":{"credentials":"<redacted>","extension":"mp4",\
            "headers":{"Referer":"https://a/b?…","X-Key":"<redacted>"},\
            "token":{"in":"header","name":"Authorization","value":"<redacted>"},\
            "url":"https://cdn.example.org/v.mp4?…"}}
            """
        #expect(lines.last == answer)
    }

    @Test("several tokens are logged without their values")
    func severalTokens() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.script), level: .trace) { provider in
            _ = try await provider.resolve(.video("several"))
        }
        let lines = sandbox.log.lines
        #expect(!lines.joined().contains("c4n4ry"), "\(lines)")
        let tokens = #""tokens":[{"in":"header","name":"Authorization","value":"<redacted>"}]"#
        #expect(lines.contains { $0.contains(tokens) }, "\(lines)")
    }

    @Test("lines of the protocol are shown only on request")
    func silent() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.script)) { provider in
            _ = try await provider.resolve(.video("v"))
        }
        #expect(sandbox.log.lines.isEmpty, "\(sandbox.log.lines)")
    }

    @Test("a login is told its parameters and the plugin's folder")
    func login() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.script), dataFolder: "/some/where") { provider in
            let request = LoginRequest(
                user: "anna", now: .distantPast, parameters: ["host": "h.example.org"], secrets: ["password": "x"])
            let login = try await provider.login(request)
            #expect(login.credentials.value["folder"]?.string == "/some/where")
            #expect(login.credentials.value["p"]?["host"]?.string == "h.example.org")
        }
    }

    @Test("parameters given as text get the types of the manifest, and mistakes are reported")
    func parameters() throws {
        let sandbox = try Sandbox()
        var plugin = try sandbox.shell("true")
        plugin.manifest.parameters = ParameterSchema(
            properties: [
                .init(name: "host", schema: ParameterSchema(kinds: [.string])),
                .init(name: "port", schema: ParameterSchema(kinds: [.integer], maximum: 65535)),
                .init(name: "tls", schema: ParameterSchema(kinds: [.boolean])),
            ], additional: .forbidden)
        #expect(
            try plugin.parameters(of: ["host": "8080", "port": "8080", "tls": "true"]).get()
                == ["host": "8080", "port": 8080, "tls": true])
        #expect(
            plugin.parameters(of: ["hots": "a", "port": "99999", "tls": "maybe"])
                == .failure(
                    ParameterProblems(texts: [
                        "provider 'odd' takes no parameter 'hots'; it takes host, port, tls; did you mean 'host'?",
                        "'port' must be at most 65535", "'tls' must be true or false, not text",
                    ])))
    }
}
