import Foundation
import SystemPackage
import TestSupport

/// A provider that requires a login, leaks the secrets that it gets wherever it can, and returns a new token with each
/// answer.
///
/// Its script contains the secrets in base64 only, so that a secret found in a file has been written there.
enum Vault {
    static let name = "vault"
    static let password = "CANARY-pass-word"
    /// A part of every token.
    static let token = "CANARY-token"

    /// Installs it. With `keepsRequests` its requests are stored in a file, secrets included.
    static func install(in stage: Stage, keepsRequests: Bool = true) throws {
        let script = #"""
            #!/bin/sh
            \#(keepsRequests ? "tee -a requests" : "cat") | jq -c --unbuffered '
              ("\#(base64(token))" | @base64d) as $token
              | def leak($text): {method: "log", params: {level: "error", message: "leaks \($text)"}},
                  ("leaks \($text)\n" | stderr | empty);
              if .method == "login" then leak(.params.secrets.password),
                if (.params.secrets.password | @base64) == "\#(base64(password))"
                then {id, result: {credentials: {token: "\($token)-1"}, expires_at: "2100-01-01T00:00:00Z"}}
                else {id, error: {code: -32000, data: {kind: "auth_required"},
                  message: "wrong password \(.params.secrets.password)"}} end
              elif .params.credentials == null
              then {id, error: {code: -32000, message: "who are you?", data: {kind: "auth_required"}}}
              else leak(.params.credentials.token),
                (.params.credentials.token | ltrimstr("\($token)-") | tonumber + 1) as $n
                | {id, result: {url: .params.video.parameters.url, credentials: {token: "\($token)-\($n)"}}} end'
            """#
        try stage.plugin(
            name, concurrency: 1, manifest: ["methods: [resolve, login]", "credentials: [username, password]"],
            script: script)
    }

    /// The tokens that came with requests to resolve, in order; an empty text for none.
    static func tokens(in stage: Stage) throws -> [String] {
        try (stage.folder.read("plugins/vault/requests") ?? "").split(separator: "\n").compactMap { line in
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            return request.method == "resolve" ? request.params.credentials?.token ?? "" : nil
        }
    }

    /// Logs in with the right password.
    static func logIn(_ stage: Stage, user: String? = nil) async throws -> Outcome {
        try stage.folder.write("username: alice\npassword: \(password)\n", to: "secrets.yaml")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: stage.folder.at("secrets.yaml").string)
        let whose = user.map { ["--user", $0] } ?? []
        let outcome = try await stage.run(
            ["login", "--provider", name, "--secrets-from", stage.folder.at("secrets.yaml").string] + whose)
        try stage.folder.remove("secrets.yaml")
        return outcome
    }

    private struct Request: Decodable {
        struct Parameters: Decodable {
            var credentials: Credentials?
        }

        struct Credentials: Decodable {
            var token: String
        }

        var method: String
        var params: Parameters
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}

extension Stage {
    /// A file of the state of the only user, or of a named one.
    func stateFile(_ name: String, user: String? = nil) -> FilePath {
        let users = (try? FileManager.default.contentsOfDirectory(atPath: state.appending("users").string)) ?? []
        return state.appending("users").appending(user ?? users.first ?? "nobody").appending(name)
    }

    /// The contents of the credentials file; nil without one.
    func credentials(user: String? = nil) -> String? {
        try? String(contentsOfFile: stateFile("credentials.json", user: user).string, encoding: .utf8)
    }

    /// The files in the stage that hold a text, but for the credentials files.
    func files(holding text: String) -> [String] {
        folder.names().filter { name in
            guard !name.hasSuffix("/credentials.json"),
                let content = FileManager.default.contents(atPath: folder.at(name).string)
            else { return false }
            return content.range(of: Data(text.utf8)) != nil
        }
    }
}
