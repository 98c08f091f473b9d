import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("logins at providers")
struct LoginTests {
    private static func catalog(_ host: FaultHost, _ ids: [String], provider: String = Vault.name) -> [CatalogText
        .Video]
    {
        ids.enumerated().map { index, id in
            let url = CatalogText.quoted(host.url("/media/\(index + 1)/5000.mp4"))
            return .init(id: id, extra: ["provider: \(provider)", "parameters: {url: \(url)}"])
        }
    }

    @Test(
        "without a login the provider's videos wait and others go on; after it they are downloaded, with renewed tokens over runs"
    )
    func story() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage)
        let open = Self.catalog(host, ["c"], provider: "direct")
        try stage.catalog(CatalogText(videos: Self.catalog(host, ["a", "b"]) + open))
        let first = try await stage.sync()
        #expect(first.exit == 77, "\(first.report)")
        #expect(try stage.stateCopy().states() == ["a": "suspended", "b": "suspended", "c": "finished"])
        let quiet = try await stage.run(["sync", stage.folder.at("catalog.yaml").string, "--quiet", "--user", account])
        #expect(quiet.exit == 77)
        #expect(quiet.error.contains("coursefetch login --provider vault --user \(account)"), "\(quiet.error)")
        let status = try await stage.command(["status"])
        #expect(
            status.output.contains("wait for a login: coursefetch login --provider vault --state \(stage.state)"),
            "\(status.output)")

        try stage.folder.write("{username: alice, password: CANARY-wrong}", to: "wrong.yaml")
        let wrong = try await stage.run(
            ["login", "--provider", "vault", "--secrets-from", stage.folder.at("wrong.yaml").string])
        #expect(wrong.exit == 77, "\(wrong.report)")
        #expect(wrong.error.contains("refused the login: wrong password <redacted>"), "\(wrong.error)")
        #expect(wrong.error.contains("others can read the secrets"), "\(wrong.error)")
        #expect(!wrong.error.contains("CANARY") && stage.credentials() == nil)

        let login = try await Vault.logIn(stage)
        #expect(login.exit == 0, "\(login.report)")
        #expect(login.output.contains("is logged in at vault until "), "\(login.output)")
        #expect(login.output.contains("2 videos that waited for it continue with the next sync"), "\(login.output)")
        #expect(try stage.stateCopy().states() == ["a": "waiting", "b": "waiting", "c": "finished"])
        #expect(stage.credentials()?.contains("\(Vault.token)-1\"") == true)
        let second = try await stage.sync()
        #expect(second.exit == 0, "\(second.report)")
        #expect(second.events("download_finished").count == 2)
        #expect(stage.credentials()?.contains("\(Vault.token)-3\"") == true)

        // The next run begins with the last token of this one.
        try stage.catalog(CatalogText(videos: Self.catalog(host, ["a", "b"]) + open + Self.catalog(host, ["d"])))
        #expect(try await stage.sync().exit == 0)
        #expect(
            try Vault.tokens(in: stage).filter { !$0.isEmpty } == [
                "\(Vault.token)-1", "\(Vault.token)-2", "\(Vault.token)-3",
            ])
        let probe = try await stage.run(["resolve", stage.folder.at("catalog.yaml").string, "c/*/a"])
        #expect(probe.exit == 0, "\(probe.report)")
        #expect(try Vault.tokens(in: stage).last == "\(Vault.token)-4")
        #expect(stage.credentials()?.contains("\(Vault.token)-5\"") == true, "a renewed token isn't lost by looking")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a running sync continues with a new login, and stops downloads of a forgotten provider")
    func whileRunning() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try Vault.install(in: stage)
        func video(_ id: String, _ provider: String, _ target: String) -> CatalogText.Video {
            let url = CatalogText.quoted(host.url(target))
            return .init(id: id, extra: ["provider: \(provider)", "parameters: {url: \(url)}"])
        }
        try stage.catalog(
            CatalogText(videos: [
                video("open", "direct", "/media/1/9000000.mp4"),
                video("quick", "vault", "/media/2/5000.mp4"),
                video("slow", "vault", "/media/3/9000000.mp4"),
            ]))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "3", "--limit-rate", "80K"]) { running in
            try await running.wait { $0.event == "download_suspended" && $0.video == "slow" }
            let login = try await Vault.logIn(stage)
            #expect(login.exit == 0, "\(login.report)")
            #expect(login.output.contains("the running sync continues with it"), "\(login.output)")
            try await running.wait { $0.event == "download_finished" && $0.video == "quick" }
            try await running.wait { $0.event == "progress" && $0.video == "slow" && ($0.bytes ?? 0) > 0 }
            let logout = try await stage.command(["logout", "--provider", "vault"])
            #expect(logout.exit == 0, "\(logout.report)")
            #expect(logout.output.contains("were deleted") && logout.output.contains("stopped using them"))
            #expect(stage.credentials() == nil)
            #expect(ProcessTable.now().within(stage.folder.at("plugins/vault")).isEmpty)
            #expect(try await stage.command(["set", "--limit-rate", "off"]).exit == 0)
        }
        #expect(outcome.exit == 77, "\(outcome.report)")
        #expect(outcome.events("download_finished").compactMap(\.video).sorted() == ["open", "quick"])
        #expect(outcome.events("download_suspended", of: "slow").allSatisfy { $0.reason == "auth" })
        #expect(stage.credentials() == nil)
        #expect(try stage.stateCopy().states()["slow"] == "suspended")
        let users = try await Program.coursefetch(["users", "--json", "--state", stage.state.string], in: stage.folder)
        #expect(users.output.contains("\"providers\":[]"), "\(users.output)")
        await host.stop()
    }

    @Test("the secret of signed links comes from a login; without the plugin's own login, secrets are the credentials")
    func bundled() async throws {
        let nginx = try await NginxServer.start()
        let content = TestContent(seed: 1, size: 20_000)
        try nginx.add("v1.mp4", content)
        let stage = try Stage()
        try stage.plugin(
            "plain", manifest: ["credentials: [key]"],
            script: #"""
                #!/bin/sh
                exec jq -c --unbuffered '{id, result: {url: "\#(nginx.baseURL)/plain/v1.mp4", extension:
                  (if .params.credentials == {key: "a: b"} then "mp4" else "mkv" end)}}'
                """#)
        var catalog = CatalogText(
            provider: "secure-link",
            parameters: ["base": CatalogText.quoted(nginx.baseURL), "path": CatalogText.quoted("/signed/{id}.mp4")],
            videos: [.init(id: "v1")])
        catalog.courses.append(
            .init(id: "d", title: "D", videos: [.init(id: "v1", extra: ["provider: plain", "parameters: {}"])]))
        try stage.catalog(catalog)
        let before = try await stage.sync("catalog.yaml", ["--only", "c"])
        #expect(before.exit == 77, "\(before.report)")
        try stage.folder.write("host: '\(nginx.baseURL)'\nsecret: testsecret\n", to: "secret")
        try stage.folder.write("key: 'a: b'", to: "key")
        for (provider, file) in [("secure-link", "secret"), ("plain", "key")] {
            let login = try await stage.run(
                ["login", "--provider", provider, "--secrets-from", stage.folder.at(file).string])
            #expect(login.exit == 0, "\(login.report)")
        }
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let files = LibraryFiles(stage.library)
        #expect(files.paths == ["Course/01 v1.mp4", "D/01 v1.mp4"])
        #expect(files.digests.values.allSatisfy { $0 == content.sha256Text })
        await nginx.stop()
    }

    @Test("a single-use token that is being renewed when the run is stopped is kept for the next one")
    func renewedAtTheEnd() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Takes a second for each answer, knows no token but its last one, and gives the next one.
        try stage.plugin(
            "once", manifest: ["credentials: [key]"],
            script: #"""
                #!/bin/sh
                while read -r line; do
                    touch asked
                    sleep 1
                    last=$(cat last 2>/dev/null || echo 1)
                    if [ "$(printf '%s' "$line" | jq -r .params.credentials.key)" = "t-$last" ]; then
                        echo $((last + 1)) > last
                        printf '%s' "$line" | jq -c --arg next "t-$((last + 1))" \
                            '{id, result: {url: .params.video.parameters.url, credentials: {key: $next}}}'
                    else
                        printf '%s' "$line" | jq -c \
                            '{id, error: {code: -1, message: "spent", data: {kind: "auth_required"}}}'
                    fi
                done
                """#)
        try stage.catalog(CatalogText(videos: Self.catalog(host, ["a"], provider: "once")))
        try stage.folder.write("key: t-1", to: "key")
        let login = try await stage.run(
            ["login", "--provider", "once", "--secrets-from", stage.folder.at("key").string])
        #expect(login.exit == 0, "\(login.report)")
        let stopped = try await stage.sync { running in
            while !stage.folder.has("plugins/once/asked") { try await Task.sleep(for: .milliseconds(20)) }
            try await running.signal(SIGTERM)
        }
        #expect(stopped.exit == 75, "\(stopped.report)")
        #expect(stage.credentials()?.contains("t-2") == true)
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        await host.stop()
    }

    @Test("without a terminal, and with contradicting options, it ends with 64 and says what to do")
    func usage() async throws {
        let stage = try Stage()
        try Vault.install(in: stage)
        let coursefetch = Built.executable("coursefetch").string
        let places = ["--state", stage.state.string, "--plugins", stage.folder.at("plugins").string]
        // In a session of its own there is no terminal, whatever the tests were started from.
        let off = try await Program.run(
            ["setsid", "-w", coursefetch, "login", "--provider", "vault"] + places, in: stage.folder)
        #expect(off.exit == 64)
        #expect(
            off.error.contains("no terminal to ask for the secrets of 'vault' (username, password)"), "\(off.error)")
        #expect(off.error.contains("--secrets-from FILE"), "\(off.error)")
        for (arguments, message) in [
            (["--provider", "direct"], "provider 'direct' needs no login"),
            (["--provider", "vualt"], "did you mean 'vault'?"),
            (["--secrets-from", "x"], "--secrets-from needs --provider NAME"),
            (["--provider", "vault", "--secrets-from", "/no/such/file"], "/no/such/file can't be opened"),
        ] {
            let outcome = try await stage.run(["login"] + arguments)
            #expect(
                outcome.exit == 64 && outcome.error.lowercased().contains(message.lowercased()), "\(outcome.report)")
        }
        #expect(!stage.folder.has("state"), "nothing was made")
    }

    @Test("a plugin that breaks at a login is 69, one that can't answer now 75; nothing is stored")
    func broken() async throws {
        let stage = try Stage()
        let manifest = ["methods: [resolve, login]", "credentials: [key]"]
        try stage.plugin("crasher", manifest: manifest, script: "#!/bin/sh\nread -r l\necho \"$l\" >&2\nexit 3\n")
        try stage.plugin(
            "busy", manifest: manifest,
            script: #"""
                #!/bin/sh
                exec jq -c --unbuffered '{id, error: {code: -1, message: "full", data: {kind: "unavailable"}}}'
                """#)
        try stage.folder.write("CANARY-key", to: "key")
        for (provider, exit) in [("crasher", Int32(69)), ("busy", 75)] {
            let outcome = try await stage.run(
                ["login", "--provider", provider, "--secrets-from", stage.folder.at("key").string])
            #expect(outcome.exit == exit && outcome.error.contains("nothing was changed"), "\(outcome.report)")
            #expect(!outcome.error.contains("CANARY"), "\(outcome.error)")
        }
        #expect(stage.credentials() == nil)
        #expect(ProcessTable.now().within(stage.folder.path).isEmpty)
    }

    @Test(
        "a logout during a slow login wins, also of a user who was logged out already",
        arguments: [["logout"], ["logout", "--provider", "slow"]])
    func slow(_ logout: [String]) async throws {
        let stage = try Stage()
        try stage.plugin(
            "slow", manifest: ["methods: [resolve, login]", "credentials: [key]"],
            script: #"""
                #!/bin/sh
                read -r line
                echo asked > asked
                while [ ! -e go ]; do sleep 0.05; done
                printf '%s\n' "$line" | jq -c '{id, result: {credentials: {token: "t"}}}'
                """#)
        try stage.folder.write("CANARY-key", to: "key")
        let isOfProvider = logout.count > 1
        #expect(try await stage.command(["login"]).exit == 0)
        if !isOfProvider { #expect(try await stage.command(["logout"]).exit == 0) }
        let login = try await stage.run(
            ["login", "--provider", "slow", "--secrets-from", stage.folder.at("key").string]
        ) { _ in
            for _ in 0..<1000 where !stage.folder.has("plugins/slow/asked") {
                try await Task.sleep(for: .milliseconds(20))
            }
            let out = try await stage.command(logout)
            #expect(out.exit == 0, "\(out.report)")
            try stage.folder.write("", to: "plugins/slow/go")
        }
        #expect(login.exit == 77 && login.error.contains("nothing was stored"), "\(login.report)")
        #expect(stage.credentials()?.contains("token") != true)
        let session = try stage.stateCopy().rows("SELECT is_open FROM session").first?["is_open"]
        #expect(session == (isOfProvider ? "1" : "0"))
    }

    /// The account's own name.
    private var account: String { NSUserName() }
}
