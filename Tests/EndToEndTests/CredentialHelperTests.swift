import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("credential helpers", .timeLimit(.minutes(5)))
struct CredentialHelperTests {
    /// A helper that keeps lines in a file, and notes what it was asked.
    private static func helper(_ stage: Stage, kept: String? = nil) throws -> String {
        if let kept { try stage.folder.write(kept, to: "kept") }
        let folder = stage.folder.path.string
        try stage.folder.write(
            #"""
            #!/bin/sh
            echo "$1" >> \#(folder)/operations
            case $1 in
            get) cat > \#(folder)/asked; cat \#(folder)/kept 2>/dev/null ;;
            store) grep -v -e '^protocol=' -e '^host=' -e '^path=' -e '^$' > \#(folder)/kept ;;
            erase) rm -f \#(folder)/kept ;;
            esac
            exit 0
            """#, to: "helper")
        return "sh \(folder)/helper"
    }

    private static func catalog(_ host: FaultHost, _ stage: Stage) throws {
        let url = CatalogText.quoted(host.url("/media/1/5000.mp4"))
        let video = CatalogText.Video(id: "a", extra: ["provider: vault", "parameters: {url: \(url)}"])
        try stage.catalog(CatalogText(videos: [video]))
    }

    private static func operations(_ stage: Stage) -> [String] {
        (stage.folder.read("operations") ?? "").split(separator: "\n").map(String.init)
    }

    @Test("a sync logs in with the helper's secrets, and stores none of them")
    func night() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage, keepsRequests: false)
        try Self.catalog(host, stage)
        let helper = try Self.helper(stage, kept: "username=alice\npassword=\(Vault.password)\n")
        let sync = try await stage.run([
            "sync", stage.folder.at("catalog.yaml").string, "--json", "--credential-helper", helper,
        ])
        #expect(sync.exit == 0, "\(sync.report)")
        #expect(Self.operations(stage) == ["get"])
        let user = try #require(sync.output.firstMatch(of: /"user":"([^"]+)"/)?.1)
        #expect(stage.folder.read("asked") == "protocol=coursefetch\nhost=vault\npath=\(user)\n\n")
        #expect(!FileManager.default.fileExists(atPath: stage.stateFile("credentials.json").string))
        for name in stage.folder.names() where name.hasPrefix("state/") {
            let bytes = FileManager.default.contents(atPath: stage.folder.at(name).string) ?? Data()
            #expect(bytes.range(of: Data("CANARY".utf8)) == nil, "\(name)")
        }
        #expect(!sync.output.contains("CANARY") && !sync.error.contains("CANARY"), "\(sync.report)")
        await host.stop()
    }

    @Test("a wrong password is tried once in a run, whose videos then wait for a login")
    func wrong() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage)
        try Self.catalog(host, stage)
        let helper = try Self.helper(stage, kept: "username=alice\npassword=CANARY-wrong\n")
        let sync = try await stage.run([
            "sync", stage.folder.at("catalog.yaml").string, "--credential-helper", "vault=\(helper)",
        ])
        #expect(sync.exit == 77, "\(sync.report)")
        #expect(Self.operations(stage) == ["get"])
        let logins = (stage.folder.read("plugins/vault/requests") ?? "").split(separator: "\n")
            .filter { $0.contains(#""method":"login""#) }
        #expect(logins.count == 1)
        #expect(
            sync.error.contains("provider 'vault' refused the helper's credentials"),
            "\(sync.error)")
        #expect(!sync.error.contains("CANARY-wrong"), "\(sync.error)")
        await host.stop()
    }

    @Test("login stores typed secrets in the helper, doesn't ask when the helper has them, and logout erases them")
    func login() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage)
        let helper = try Self.helper(stage)
        try stage.folder.write("username: alice\npassword: \(Vault.password)\n", to: "secrets.yaml")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: stage.folder.at("secrets.yaml").string)
        let options = ["--provider", "vault", "--credential-helper", helper]
        let typed = try await stage.run(
            ["login"] + options + ["--secrets-from", stage.folder.at("secrets.yaml").string])
        #expect(typed.exit == 0, "\(typed.report)")
        #expect(stage.folder.read("kept") == "password=\(Vault.password)\nusername=alice\n")
        let known = try await stage.run(["login"] + options)
        #expect(known.exit == 0, "\(known.report)")
        #expect(Self.operations(stage) == ["store", "get"])
        #expect(!FileManager.default.fileExists(atPath: stage.stateFile("credentials.json").string))
        let out = try await stage.run(["logout"] + options)
        #expect(out.exit == 0, "\(out.report)")
        #expect(Self.operations(stage).last == "erase" && stage.folder.read("kept") == nil)
        await host.stop()
    }

    @Test("a failing helper is reported with its error; nothing is changed")
    func failing() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        let outcome = try await stage.run(["login", "--provider", "vault", "--credential-helper", "exit 3;"])
        #expect(outcome.exit == 77)
        #expect(
            outcome.error
                == "error: the credential helper for provider 'vault' ended with exit code 3; to try it: "
                + "echo host=vault | COMMAND get\n", "\(outcome.error)")
    }
}
