import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// A provider with logins of one server each: a login needs `endpoint`, and is refused for the parameter `folder: gone`. It
/// notes where each password went.
private struct ServersStage {
    let stage: Stage
    let host: FaultHost

    init() async throws {
        stage = try Stage()
        host = try await FaultHost.start()
        try stage.plugin(
            "cloud", concurrency: 4,
            manifest: ["methods: [resolve, list, login]", "credentials: [username, password]"],
            script: #"""
                #!/usr/bin/env python3
                import json, sys
                def origin(parameters): return "/".join(parameters["endpoint"].lower().replace(":443", "").split("/")[:3])
                for line in sys.stdin:
                    request = json.loads(line)
                    params, answer = request["params"], {"id": request["id"]}
                    def refuse(kind, message): answer["error"] = {"code": -32000, "message": message, "data": {"kind": kind}}
                    hosts = (params.get("credentials") or {}).get("hosts", {})
                    if request["method"] == "login":
                        told = params["parameters"]
                        with open("logins", "a") as log:
                            print(told.get("endpoint"), told.get("folder"), params["secrets"]["password"], file=log)
                        if "endpoint" not in told: refuse("invalid_parameters", "which server?")
                        elif told.get("folder") == "gone": refuse("invalid_parameters", "no such folder")
                        else: answer["result"] = {"credentials": {"hosts": {**hosts, origin(told): params["secrets"]["password"]}}}
                    elif origin((params.get("video") or params["course"])["parameters"]) not in hosts:
                        refuse("auth_required", "who are you?")
                    elif request["method"] == "list": answer["result"] = {"videos": [params["course"]["id"]]}
                    else:
                        answer["result"] = {"url": open("base").read() + "/1/3000.mp4"}
                    print(json.dumps(answer), flush=True)
                """#)
        try stage.folder.write(host.url("/media"), to: "plugins/cloud/base")
    }

    /// A catalog with a course of one video for each endpoint.
    func catalog(_ courses: [(id: String, endpoint: String, folder: String)], isListed: Bool = false) throws {
        let text = courses.map {
            """
              - {id: \($0.id), title: \($0.id), provider: cloud,
                 parameters: {endpoint: "\($0.endpoint)", folder: \($0.folder)}, \(isListed ? "discover: true" : "videos: [v]")}
            """
        }
        try stage.folder.write("version: 1\ncourses:\n\(text.joined(separator: "\n"))\n", to: "catalog.yaml")
    }

    /// A sync with a helper of this script; `$endpoint` is the line of that name.
    func sync(_ script: String) async throws -> Outcome {
        try stage.folder.write(
            "#!/bin/sh\nendpoint=$(sed -n s/^endpoint=//p)\necho \"$1 $endpoint\" >> \(path("asked"))\n\(script)\n",
            to: "helper")
        return try await stage.run([
            "sync", path("catalog.yaml"), "--jobs", "1", "--credential-helper", "sh \(path("helper"))",
        ])
    }

    func path(_ name: String) -> String { stage.folder.at(name).string }

    /// Endpoint, folder and password of each login.
    var logins: [String] { lines("plugins/cloud/logins") }

    func lines(_ name: String) -> [String] {
        (stage.folder.read(name) ?? "").split(separator: "\n").map(String.init)
    }
}

@Suite("credential helpers for several servers", .timeLimit(.minutes(5)))
struct CredentialHelperServersTests {
    @Test("a sync logs in at each server with the secrets for it and the parameters of the request")
    func servers() async throws {
        let scene = try await ServersStage()
        try scene.catalog([
            ("a1", "https://a.example.org/x", "f1"), ("b1", "http://b.example.org:8080/", "f2"),
            ("a2", "https://A.example.org:443/y", "f3"),
        ])
        let sync = try await scene.sync(
            """
            case $endpoint in
            https://a.example.org) printf 'username=anna\\npassword=pw-a\\nendpoint=https://a.example.org/dav\\n' ;;
            http://b.example.org:8080) printf 'username=anna\\npassword=pw-b\\nendpoint=http://b.example.org:8080\\n' ;;
            esac
            """)
        #expect(sync.exit == 0, "\(sync.report)")
        // Both servers are asked at the same time.
        #expect(scene.logins.sorted() == ["http://b.example.org:8080/ f2 pw-b", "https://a.example.org/x f1 pw-a"])
        #expect(scene.lines("asked").sorted() == ["get http://b.example.org:8080", "get https://a.example.org"])
        await scene.host.stop()
    }

    @Test("secrets that the helper has for one server go to no other, whatever it is asked")
    func another() async throws {
        let scene = try await ServersStage()
        try scene.catalog(
            [
                ("a", "https://a.example.org/", "f"), ("evil", "https://evil.example.org/", "f"),
                ("plain", "http://a.example.org/", "f"), ("port", "https://a.example.org:444/", "f"),
            ], isListed: true)
        let sync = try await scene.sync("printf 'username=anna\\npassword=pw-a\\nendpoint=https://a.example.org\\n'")
        #expect(sync.exit == 77, "\(sync.report)")
        #expect(scene.logins == ["https://a.example.org/ f pw-a"])
        #expect(try scene.stage.stateCopy().states() == ["a": "finished"])
        let warning = "the credential helper has no secrets for provider 'cloud' at https://evil.example.org"
        #expect(sync.error.components(separatedBy: warning).count == 2, "\(sync.error)")
        await scene.host.stop()
    }

    @Test(
        "secrets whose server the helper doesn't name are sent without parameters, once, and the message has the remedy"
    )
    func unnamed() async throws {
        let scene = try await ServersStage()
        try scene.catalog([("a", "https://a.example.org/", "f"), ("b", "https://b.example.org/", "f")])
        let sync = try await scene.sync("printf 'username=anna\\npassword=pw\\n'")
        #expect(sync.exit == 77, "\(sync.report)")
        #expect(scene.logins == ["None None pw"])
        #expect(
            sync.error.contains("provider 'cloud': its credential helper's answer lacks the line endpoint=https://"),
            "\(sync.error)")
        await scene.host.stop()
    }

    @Test("a course whose own parameters are refused doesn't keep the others of its server from logging in")
    func declined() async throws {
        let scene = try await ServersStage()
        try scene.catalog(
            [("gone", "https://a.example.org/", "gone"), ("a", "https://a.example.org/", "f")], isListed: true)
        let sync = try await scene.sync("printf \"username=anna\\npassword=pw\\nendpoint=$endpoint\\n\"")
        #expect(scene.logins.last == "https://a.example.org/ f pw" && scene.logins.count <= 2, "\(sync.report)")
        #expect(try scene.stage.stateCopy().states()["a"] == "finished", "\(sync.report)")
        await scene.host.stop()
    }

    @Test("login gives the helper the server with its secrets, and asks for those of another server")
    func typed() async throws {
        let scene = try await ServersStage()
        try scene.stage.folder.write(
            "#!/bin/sh\ncase $1 in store) cat > \(scene.path("kept"));; get) cat \(scene.path("kept"));; esac\n",
            to: "helper")
        try scene.stage.folder.write("username: anna\npassword: pw\n", to: "secrets.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scene.path("secrets.yaml"))
        func login(_ endpoint: String, _ more: [String] = []) async throws -> Outcome {
            try await scene.stage.run(
                [
                    "login", "--provider", "cloud", "--set", "endpoint=\(endpoint)", "--credential-helper",
                    "sh \(scene.path("helper"))",
                ] + more)
        }
        #expect(try await login("https://a.example.org/x", ["--secrets-from", scene.path("secrets.yaml")]).exit == 0)
        #expect(scene.lines("kept").contains("endpoint=https://a.example.org"))
        #expect(try await login("https://a.example.org/y").exit == 0)
        let other = try await login("https://evil.example.org/")
        #expect(other.exit != 0, "\(other.report)")
        #expect(scene.logins == ["https://a.example.org/x None pw", "https://a.example.org/y None pw"])
        await scene.host.stop()
    }
}
