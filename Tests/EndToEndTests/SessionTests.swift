import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("users and their sessions")
struct SessionTests {
    @Test("a user of another name begins with a login; no command shows or creates files of another user")
    func users() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage)
        let url = host.url("/media/{id}/5000.mp4")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
        #expect(try await stage.sync().exit == 0)
        for command in [["status"], ["pause", "--all"], ["sync", stage.folder.at("catalog.yaml").string]] {
            let refused = try await stage.command(command + ["--user", "bob"])
            #expect(refused.exit == 77, "\(refused.report)")
            #expect(refused.error.contains("there is no user 'bob'"), "\(refused.error)")
            #expect(refused.error.contains("coursefetch login --user bob"), "\(refused.error)")
        }
        let out = try await stage.command(["logout", "--user", "bob"])
        #expect(out.exit == 77 && out.error.contains("there is no user 'bob'"), "\(out.report)")
        #expect(!stage.folder.has("state/users/bob"), "asking makes nobody")

        let bobs = stage.folder.at("bob")
        #expect(try await Vault.logIn(stage, user: "bob").exit == 0)
        let synced = try await stage.sync("catalog.yaml", ["--user", "bob", "--only", "c/*/1"], library: bobs)
        #expect(synced.exit == 0, "\(synced.report)")
        #expect(LibraryFiles(bobs).paths == ["Course/01 1.mp4"])
        let status = try await stage.command(["status", "--user", "bob", "--all", "--json"])
        #expect(
            status.output.split(separator: "\n").count == 1 && status.output.contains("\"state\":\"finished\""),
            "\(status.output)\(status.error)")

        // A third one, whose state nobody can read any more.
        #expect(try await stage.command(["login", "--user", "carl"]).exit == 0)
        try stage.folder.write("garbage, not a database at all", to: "state/users/carl/state.sqlite")
        try stage.folder.write("garbage", to: "state/users/carl/credentials.json")
        let listed = try await Program.coursefetch(
            ["users", "--json", "--state", stage.state.string], in: stage.folder)
        #expect(listed.exit == 0, "\(listed.report)")
        let users = try listed.output.split(separator: "\n").map {
            try JSONDecoder().decode(Listed.self, from: Data($0.utf8))
        }
        #expect(Set(users.map(\.user)) == ["bob", "carl", NSUserName()])
        let bob = try #require(users.first { $0.user == "bob" })
        #expect(bob.logged_in == true && !bob.own && bob.library == bobs.string && bob.problems.isEmpty)
        #expect(bob.downloads["finished"] == 1 && bob.providers.map(\.provider) == ["vault"])
        let carl = try #require(users.first { $0.user == "carl" })
        #expect(carl.logged_in == nil && carl.problems.count == 2)
        let own = try #require(users.first { $0.own })
        #expect(own.logged_in == true && own.downloads["finished"] == 2 && own.providers.isEmpty)
        let text = try await Program.coursefetch(["users", "--state", stage.state.string], in: stage.folder)
        #expect(text.exit == 0 && text.output.contains("at vault since") && text.output.contains("problem: "))
        #expect(!(listed.output + text.output).contains("CANARY"))

        // Logging out one leaves the others alone.
        #expect(try await stage.command(["logout", "--user", "bob"]).exit == 0)
        #expect(try await stage.sync("catalog.yaml", ["--user", "bob"], library: bobs).exit == 77)
        #expect(try await stage.sync().exit == 0)
        let gone = try await stage.run(["resolve", stage.folder.at("catalog.yaml").string, "c", "--user", "bob"])
        #expect(gone.exit == 77, "\(gone.report)")
        // Who has never logged in is told the same by every command.
        let unknown = try await stage.run(["resolve", stage.folder.at("catalog.yaml").string, "c", "--user", "dora"])
        for options in [[], ["--dry-run"]] {
            let sync = try await stage.run(
                ["sync", stage.folder.at("catalog.yaml").string, "--user", "dora"] + options)
            #expect(sync.exit == 77 && unknown.exit == 77)
            #expect(sync.error.split(separator: "\n").first == unknown.error.split(separator: "\n").first)
        }
        #expect(unknown.error.contains("there is no user 'dora'"), "\(unknown.error)")
        await host.stop()
    }

    @Test("a logout wipes credentials, also the second time and of a damaged state; --keep-credentials keeps them")
    func wiping() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        #expect(try await Vault.logIn(stage).exit == 0)
        let kept = try await stage.command(["logout", "--keep-credentials"])
        #expect(kept.exit == 0 && kept.output.contains("were kept"), "\(kept.report)")
        #expect(stage.credentials() != nil)
        let status = try await stage.command(["status"])
        #expect(status.output.contains("so no sync starts; to log in: coursefetch login"), "\(status.output)")
        let again = try await stage.command(["logout"])
        #expect(again.exit == 0 && again.output.contains("was already logged out"), "\(again.report)")
        #expect(stage.credentials() == nil)
        #expect(try await stage.command(["logout", "--keep-credentials", "--provider", "vault"]).exit == 64)

        #expect(try await Vault.logIn(stage).exit == 0)
        let name = stage.stateFile("state.sqlite").string
        try Data("garbage, not a database at all".utf8).write(to: URL(filePath: name))
        let damaged = try await stage.command(["logout"])
        #expect(damaged.exit == 73 && damaged.error.contains("The credentials were deleted"), "\(damaged.report)")
        #expect(stage.credentials() == nil)
    }

    @Test("a damaged credentials file is 73, and isn't touched until a logout")
    func damaged() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        #expect(try await stage.command(["login"]).exit == 0)
        let file = stage.stateFile("credentials.json").string
        try Data("{\"version\":1,".utf8).write(to: URL(filePath: file))
        try stage.catalog(CatalogText(url: "http://127.0.0.1:9/{id}", videos: [.init(id: "1")]))
        let outcomes = [try await Vault.logIn(stage), try await stage.sync()]
        for outcome in outcomes { #expect(outcome.exit == 73, "\(outcome.report)") }
        #expect(outcomes[0].error.contains("is damaged; nothing was changed"), "\(outcomes[0].error)")
        #expect(stage.credentials() == "{\"version\":1,")
        #expect(try await stage.command(["logout"]).exit == 0)
        #expect(stage.credentials() == nil)
        #expect(try await Vault.logIn(stage).exit == 0)
    }

    @Test("a process that holds the lock and doesn't answer: logout says so with 75, login goes through with a warning")
    func silent() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        #expect(try await Vault.logIn(stage).exit == 0)
        let lock = stage.stateFile("sync.lock").string
        try stage.folder.write("", to: "free")
        _ = try await Program.run(
            ["flock", lock, "sh", "-c", "touch held; while [ -e free ]; do sleep 0.05; done"], in: stage.folder
        ) { _ in
            for _ in 0..<1000 where !stage.folder.has("held") { try await Task.sleep(for: .milliseconds(10)) }
            let logout = try await stage.command(["logout"])
            #expect(logout.exit == 75, "\(logout.report)")
            #expect(logout.error.contains("didn't confirm within 5 s that it stopped"), "\(logout.error)")
            #expect(stage.credentials() == nil)
            let login = try await Vault.logIn(stage)
            #expect(login.exit == 0, "\(login.report)")
            #expect(login.error.contains("didn't respond within 2 s"), "\(login.error)")
            #expect(stage.credentials() != nil)
            try stage.folder.remove("free")
        }
    }

    private struct Listed: Decodable {
        struct Provider: Decodable {
            var provider: String
        }

        var user: String
        var own: Bool
        var logged_in: Bool?
        var library: String?
        var downloads: [String: Int]
        var providers: [Provider]
        var problems: [String]
    }
}
