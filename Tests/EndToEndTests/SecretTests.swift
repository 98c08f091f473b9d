import Foundation
import Synchronization
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("where secrets are stored")
struct SecretTests {
    @Test("a plugin that prints its secrets wherever it can: they are in the credentials file and nowhere else")
    func canary() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage, keepsRequests: false)
        // The media's token is one as well, and the URL holds it.
        let url = CatalogText.quoted(host.url("/media/1/400000.mp4?rate=200000"))
        try stage.catalog(
            CatalogText(
                videos: (1...2).map { .init(id: "v\($0)", extra: ["provider: vault", "parameters: {url: \(url)}"]) }))
        try stage.folder.write("username: alice\npassword: \(Vault.password)\n", to: "secrets.yaml")
        let secrets = ["--provider", "vault", "--secrets-from", stage.folder.at("secrets.yaml").string]
        let seen = Mutex<[String]>([])
        @Sendable func look(_ running: RunningProgram) async throws {
            while kill(try await running.pid(), 0) == 0 {
                let told = ProcessTable.now().within(stage.folder.path).flatMap { process in
                    ["cmdline", "environ"].filter { name in
                        let content = FileManager.default.contents(atPath: "/proc/\(process.pid)/\(name)") ?? Data()
                        return content.range(of: Data("CANARY".utf8)) != nil
                    }.map { "\($0) of \(process.command)" }
                }
                seen.withLock { $0 += told }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        #expect(try await stage.run(["login"] + secrets, while: look).exit == 0)
        try stage.folder.remove("secrets.yaml")
        let outcome = try await stage.sync("catalog.yaml", ["--verbose"], while: look)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.error.contains("leaks <redacted>"), "the plugin told it: \(outcome.error.suffix(500))")
        let catalog = stage.folder.at("catalog.yaml").string
        #expect(try await stage.run(["resolve", catalog, "c", "--verbose"], while: look).exit == 0)
        for command in [["status", "--all"], ["doctor"]] { _ = try await stage.run(command, while: look) }
        _ = try await Program.coursefetch(["users", "--state", stage.state.string], in: stage.folder, while: look)
        #expect(seen.withLock { $0 } == [])
        #expect(stage.credentials()?.contains(Vault.token) == true, "else this proves nothing")
        #expect(stage.files(holding: "CANARY") == [])
        #expect(try await stage.command(["logout"]).exit == 0)
        #expect(stage.credentials() == nil)
        #expect(stage.files(holding: "CANARY") == [])
        #expect(stage.folder.names().filter { $0.contains("credentials.json") } == [])
        await host.stop()
    }

    @Test("the state is closed to other accounts, whatever the umask: folders 0700, files 0600")
    func permissions() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        try stage.folder.write("{username: a, password: \(Vault.password)}", to: "secrets.yaml")
        let coursefetch = Built.executable("coursefetch").string
        let arguments = [
            "login", "--provider", "vault", "--secrets-from", stage.folder.at("secrets.yaml").string, "--state",
            stage.state.string, "--plugins", stage.folder.at("plugins").string,
        ]
        let login = try await Program.run(
            ["sh", "-c", #"umask 0; exec "$0" "$@""#, coursefetch] + arguments, in: stage.folder)
        #expect(login.exit == 0, "\(login.report)")
        var modes: [String: Int] = [:]
        for name in stage.folder.names() where name.hasPrefix("state") {
            let facts = try FileManager.default.attributesOfItem(atPath: stage.folder.at(name).string)
            let isFolder = facts[.type] as? FileAttributeType == .typeDirectory
            modes[name] = facts[.posixPermissions] as? Int
            #expect(modes[name] == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        #expect(modes.count >= 7, "\(modes)")
        guard geteuid() == 0 else { return }
        // As another account, if this one may become it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stage.folder.path.string)
        let file = stage.stateFile("credentials.json").string
        let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let read = try await Program.run(other + ["cat", file], in: stage.folder)
        #expect(read.exit == 1 && !read.output.contains("CANARY") && read.error.contains("denied"), "\(read.error)")
    }

    @Test("killed at any step of storing, the file is the old one or the new one, and the next login works")
    func killedWhileStoring() async throws {
        let stage = try Stage()
        try stage.plugin(
            "plain", manifest: ["credentials: [key]"], script: "#!/bin/sh\nexec jq -c --unbuffered '{id, result: {}}'\n"
        )
        func logIn(_ key: String, _ strace: [String] = []) async throws -> Outcome {
            try stage.folder.write(key, to: "key")
            let tracer = strace.isEmpty ? [] : ["strace", "-f", "-q", "-o", stage.folder.at("strace").string] + strace
            return try await Program.run(
                tracer + [Built.executable("coursefetch").string, "login", "--provider", "plain"]
                    + ["--secrets-from", stage.folder.at("key").string, "--state", stage.state.string]
                    + ["--plugins", stage.folder.at("plugins").string], in: stage.folder)
        }
        func stored() throws -> String? {
            guard let text = stage.credentials() else { return nil }
            struct File: Decodable {
                struct Entry: Decodable { var credentials: [String: String] }
                var providers: [String: Entry]
            }
            return try JSONDecoder().decode(File.self, from: Data(text.utf8)).providers["plain"]?.credentials["key"]
        }
        #expect(try await logIn("key-0").exit == 0)
        var (last, kills) = ("key-0", 0)
        for (index, step) in ["fsync:when=1", "renameat", "fsync:when=2", "flock:when=2", "fchmod"].enumerated() {
            let call = step.prefix { $0 != ":" }
            let when = step.contains(":") ? String(step.drop { $0 != ":" }) : ""
            let key = "key-\(index + 1)"
            let outcome = try await logIn(
                key, ["-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL\(when)"])
            if outcome.exit == 137 { kills += 1 }
            let now = try #require(try stored(), "\(step)")
            #expect(now == last || now == key, "\(step): \(now)")
            last = "\(key)-again"
            let again = try await logIn(last)
            #expect(again.exit == 0, "\(step): \(again.report)")
            #expect(try stored() == last)
            #expect(!stage.folder.names().contains { $0.hasSuffix("credentials.json.new") })
        }
        #expect(kills >= 4, "strace has hit \(kills) of the steps")
    }
}

@Suite("the prompt for secrets, on a terminal")
struct SecretPromptTests {
    @Test("typed input isn't shown, a long token is read whole, and echo is restored however it ends")
    func prompt() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        let window = try await TmuxWindow(in: stage.folder)
        do {
            try await check(window, stage)
        } catch {
            try? await window.close()
            throw error
        }
        try await window.close()
    }

    private func check(_ window: TmuxWindow, _ stage: Stage) async throws {
        let login =
            "\(Built.executable("coursefetch").string) login --provider vault --state \(stage.state.string) "
            + "--plugins \(stage.folder.at("plugins").string)"
        // Also with standard input elsewhere: the terminal is asked.
        try stage.folder.write(login + " < /dev/null; echo code $?", to: "log-in")
        try await window.type(". ./log-in", "Enter")
        _ = try await window.screen { $0.contains("vault username:") }
        try await window.type("-l", "CANARY-wrong")
        try await window.type("C-u")
        // Longer than a line that a terminal edits itself.
        let long = String(repeating: "long", count: 1500)
        try await window.type("-l", long + "-CANARY-usex")
        try await window.type("BSpace")
        try await window.type("-l", "r")
        try await window.type("Enter")
        _ = try await window.screen { $0.contains("vault password:") }
        // Away and back: there the shell echoes, here nothing does, and the prompt stands again.
        try await window.type("C-z")
        var screen = try await window.screen { $0.contains("Stopped") && $0.contains("code 147\n$") }
        #expect(screen.contains("code 147"), "\(screen)")
        try await window.type("clear; fg", "Enter")
        screen = try await window.screen { $0.contains("vault password:") }
        #expect(screen.contains("vault password:"), "\(screen)")
        try await window.type("-l", Vault.password)
        try await window.type("Enter")
        screen = try await window.screen { $0.contains("is logged in at vault") }
        #expect(screen.contains("is logged in at vault"), "\(screen)")
        #expect(!screen.contains("CANARY"), "\(screen)")
        let asked = stage.folder.read("plugins/vault/requests") ?? ""
        #expect(asked.contains("\"\(long)-CANARY-user\"") && asked.contains(Vault.password))

        // Ctrl-C, Ctrl-D and a signal from elsewhere.
        for (keys, code) in [("C-c", 130), ("C-d", 64), ("", 143)] {
            try await window.type("clear", "Enter")
            _ = try await window.screen { $0.hasPrefix("$") }
            try await window.type(". ./log-in", "Enter")
            _ = try await window.screen { $0.contains("vault username:") }
            if keys.isEmpty {
                let prompting = ProcessTable.now().within(stage.folder.path).filter {
                    $0.command.contains("coursefetch login")
                }
                #expect(prompting.count == 1, "\(prompting)")
                for process in prompting { kill(process.pid, SIGTERM) }
            } else {
                try await window.type(keys)
            }
            screen = try await window.screen { $0.contains("code \(code)") }
            #expect(screen.contains("code \(code)"), "\(screen)")
            // Interactive shells set the terminal anew for themselves: a program sees what was left to it.
            try await window.type("stty -a | tr ' ' '\\n' | grep -cx 'echo\\|icanon'; echo counted", "Enter")
            screen = try await window.screen { $0.contains("\ncounted") }
            #expect(screen.contains("\n2\ncounted"), "\(screen)")
        }
    }
}
