import Foundation
import Hooks
import RunAccess
import SyncFacts
import Testing
import UserState
import YAMLSource

@testable import CourseFetchCommands

@Suite("Settings from option, environment, file and default")
struct SettingsTests {
    private static func settings(
        _ options: [String: [String]] = [:], _ environment: [String: String] = [:], file: String = ""
    ) throws(SettingsError) -> SyncSettings {
        let environment = ["HOME": "/home/alice"].merging(environment) { $1 }
        let file = try SettingsFile(bytes: Array(file.utf8), path: "/home/alice/.config/coursefetch/config.yaml")
        return try SyncSettings(SettingLayers(options: options, environment: environment, file: file))
    }

    @Test("without settings the defaults apply")
    func defaults() throws {
        let settings = try Self.settings()
        #expect(settings.jobs == Setting(value: .automatic, origin: .standard))
        #expect(settings.retries.value == 10)
        #expect(settings.maxWait.value == .seconds(600))
        #expect(settings.maxDelete.value == .percent(10))
        #expect(settings.checksum.value)
        #expect(
            !settings.prune.value && !settings.dryRun.value && !settings.json.value && settings.progress.value == nil)
        #expect(settings.limitRate.value == nil && settings.maxConnectionsPerHost.value == nil)
        let options = settings.options(catalogs: ["a.yaml"])
        #expect(
            options.catalogs == ["a.yaml"] && options.jobs == .automatic && options.checksums && options.plugins == [])
    }

    @Test("option overrides environment overrides file, and each value knows its source")
    func precedence() throws {
        let file = "jobs: 4\nretries: 5\nlimit-rate: 1M\n"
        let settings = try Self.settings(
            ["jobs": ["8"]], ["COURSEFETCH_JOBS": "6", "COURSEFETCH_RETRIES": "7"], file: file)
        #expect(settings.jobs == Setting(value: .fixed(8), origin: .option))
        #expect(settings.retries == Setting(value: 7, origin: .environment(variable: "COURSEFETCH_RETRIES")))
        #expect(settings.limitRate.value == 1_048_576)
        #expect(settings.limitRate.origin.description == "/home/alice/.config/coursefetch/config.yaml:3:13")
        #expect(settings.bwlimit.origin.description == "default")
    }

    @Test("flags can be given as their opposites, and overridden")
    func flags() throws {
        #expect(try !Self.settings(file: "no-checksum: true").checksum.value)
        #expect(try Self.settings(["checksum": ["true"]], file: "no-checksum: true").checksum.value)
        #expect(try !Self.settings([:], ["COURSEFETCH_NO_CHECKSUM": "1"]).checksum.value)
        #expect(
            try Self.settings(["prune": ["false"]], file: "prune: yes").prune == Setting(value: false, origin: .option))
        #expect(try Self.settings(file: "progress: false").progress.value == false)
        #expect(try Self.settings(["verbose": ["true"]], file: "quiet: true").quiet.value == false)
        #expect(try Self.settings(["quiet": ["true"]], file: "verbose: true").verbose.value == false)
    }

    @Test("lists: selectors replace, plugin folders add up")
    func lists() throws {
        let file = "plugins: [more, /opt/plugins]\nonly: [phys101, chem/*]\n"
        let settings = try Self.settings(["plugins": ["a", "b"]], ["COURSEFETCH_PLUGINS": "~/c:/d"], file: file)
        #expect(
            settings.plugins.value == [
                "a", "b", "/home/alice/c", "/d", "/home/alice/.config/coursefetch/more", "/opt/plugins",
            ])
        #expect(settings.only.value.map(\.description) == ["phys101", "chem/*"])
        let replaced = try Self.settings([:], ["COURSEFETCH_ONLY": "maths bio/cells"], file: file)
        #expect(replaced.only.value.map(\.description) == ["maths", "bio/cells"])
    }

    @Test("paths: ~ is the home folder, and the file's own folder is where its relative ones begin")
    func paths() throws {
        #expect(try Self.settings(file: "library: ~/Videos/{user}").library.value == "/home/alice/Videos/{user}")
        #expect(try Self.settings(file: "state: here").state.value == "/home/alice/.config/coursefetch/here")
        #expect(try Self.settings([:], ["COURSEFETCH_LIBRARY": "rel"]).library.value == "rel")
        #expect(
            try Self.settings(file: "ffmpeg: bin/ff").ffmpeg.value == .path("/home/alice/.config/coursefetch/bin/ff"))
        #expect(try Self.settings([:], ["COURSEFETCH_FFMPEG": "~/ff"]).ffmpeg.value == .path("/home/alice/ff"))
        #expect(try Self.settings(file: "ffmpeg: none").ffmpeg.value == .none)
        #expect(try Self.settings(file: "container: package").container.value == .package)
        #expect(throws: SettingsError.self) { try Self.settings(["container": ["zip"]]) }
        #expect(SettingsFile.path(environment: ["HOME": "/h"]) == "/h/.config/coursefetch/config.yaml")
        #expect(
            SettingsFile.path(environment: ["HOME": "/h", "XDG_CONFIG_HOME": "/x"]) == "/x/coursefetch/config.yaml")
        #expect(
            SettingsFile.path(environment: ["HOME": "/h", "XDG_CONFIG_HOME": "x"])
                == "/h/.config/coursefetch/config.yaml")
    }

    @Test("all mistakes of the file are reported at once, with place and source line")
    func fileMistakes() {
        let file = "job: 4\nretries: many\nlibrary: {a: b}\nlimit-rate: [1M]\n"
        #expect {
            try Self.settings(file: file)
        } throws: { error in
            let text = (error as? SettingsError)?.problems.map(\.text).joined(separator: "\n")
            let path = "/home/alice/.config/coursefetch/config.yaml"
            #expect(
                text == """
                    \(path):1:1: error: there is no setting 'job'; did you mean 'jobs'?
                        job: 4
                        ^
                    \(path):3:10: error: 'library' takes one value, not a mapping
                        library: {a: b}
                                 ^
                    \(path):4:13: error: 'limit-rate' takes one value, not a list
                        limit-rate: [1M]
                                    ^
                    """)
            return true
        }
    }

    @Test("a wrong value is reported with its source")
    func wrongValues() {
        #expect {
            try Self.settings(["jobs": ["0"]], ["COURSEFETCH_LIMIT_RATE": "2"], file: "max-wait: soon\n")
        } throws: { error in
            let texts = (error as? SettingsError)?.problems.map(\.text)
            #expect(
                texts == [
                    "error: --jobs: 0 isn't between 1 and 256",
                    "error: COURSEFETCH_LIMIT_RATE: '2' has no unit: write 2B, 2K, 2M, 2G or 2T (powers of 1024)",
                    """
                    /home/alice/.config/coursefetch/config.yaml:1:11: error: max-wait: 'soon' isn't a duration: \
                    write 30s, 10m, 4h, 2d or 1h30m
                        max-wait: soon
                                  ^
                    """,
                ])
            return true
        }
        #expect {
            try Self.settings(["jobs": [""]], [:], file: "user: bad name\nlimit-rate: ''\n")
        } throws: { error in
            let texts = (error as? SettingsError)?.problems.map(\.text)
            #expect(
                texts == [
                    """
                    /home/alice/.config/coursefetch/config.yaml:1:7: error: user: 'bad name' isn't a user name: use 1 to \
                    64 letters, digits, '.', '_', '-' and '@', and don't begin with '.' or '-'
                        user: bad name
                              ^
                    """, "error: --jobs: it is empty",
                    """
                    /home/alice/.config/coursefetch/config.yaml:2:13: error: limit-rate: it is empty
                        limit-rate: ''
                                    ^
                    """,
                ])
            return true
        }
        #expect(throws: SettingsError([.contradiction("quiet", "verbose")])) {
            try Self.settings(["quiet": ["true"], "verbose": ["true"]])
        }
    }

    @Test(
        "sizes and rates",
        arguments: [
            ("512", ValueError.noUnit("512")), ("5MB", .decimalUnit("5MB")), ("", .notASize("")), ("M", .notASize("M")),
            ("-1M", .notASize("-1M")), ("1.M", .notASize("1.M")), ("1e3K", .notASize("1e3K")),
            ("9000000T", .notASize("9000000T")),
            ("08:00,512K", .notASize("08:00,512K")), ("٣M", .notASize("٣M")),
        ])
    func wrongSizes(text: String, expected: ValueError) {
        #expect(throws: expected) { try ByteAmount.parse(text) }
    }

    @Test(
        "valid sizes and rates",
        arguments: [
            ("512B", 512), ("1k", 1024), ("1.5M", 1_572_864), ("2GiB", 2_147_483_648), ("1T", 1_099_511_627_776),
            ("0.5Ki", 512),
        ] as [(String, Int64)])
    func sizes(text: String, expected: Int64) throws {
        #expect(try ByteAmount.parse(text) == expected)
        #expect(try ByteAmount.parseRate(text + "/s") == expected)
    }

    @Test("no limit", arguments: ["off", "OFF", "0", "0K"])
    func unlimited(text: String) throws {
        #expect(try ByteAmount.parseRate(text) == nil)
    }

    @Test(
        "durations",
        arguments: [
            ("30s", 30), ("10m", 600), ("4h", 14_400), ("2d", 172_800), ("1h30m", 5400), ("0", 0), ("", nil),
            ("10", nil),
            ("30m1h", nil), ("1m1m", nil), ("h", nil), ("-5s", nil), ("99999999999999999999s", nil), ("5000000d", nil),
        ] as [(String, Int?)])
    func durations(text: String, expected: Int?) {
        #expect((try? DurationParser.parse(text)) == expected.map { .seconds($0) })
    }

    @Test(
        "the prune guard",
        arguments: [
            ("20", .count(20)), ("0", .count(0)), ("15%", .percent(15)), ("0.5%", .percent(0.5)), ("101%", nil),
            ("-1", nil), ("x", nil),
        ] as [(String, MaxDelete?)])
    func maxDelete(text: String, expected: MaxDelete?) {
        #expect((try? SettingFormat.maxDelete(text)) == expected)
    }

    @Test("doctor lists every setting in the form that a user writes, with its source")
    func listing() throws {
        let settings = try Self.settings(
            ["jobs": ["8"], "only": ["phys101", "chem/*"], "until": ["6:00"]],
            ["COURSEFETCH_LIMIT_RATE": "2M", "COURSEFETCH_PLUGINS": "/a:/b"],
            file: "max-wait: 90m\nno-checksum: true\n")
        let rows = EffectiveSettings.rows(
            settings, places: EffectiveLocations(user: "alice", state: "/s", library: "/l"))
        #expect(Set(rows.map(\.name)) == Set(SettingTable.all.map(\.name)))
        func row(_ name: String) -> String {
            rows.filter { $0.name == name }.map { "\($0.value) \($0.origin)" }.joined(separator: ", ")
        }
        #expect(row("jobs") == "8 the command line")
        #expect(row("limit-rate") == "2.00 MiB COURSEFETCH_LIMIT_RATE")
        #expect(row("plugins") == "/a COURSEFETCH_PLUGINS, /b COURSEFETCH_PLUGINS")
        #expect(row("only") == "phys101 the command line, chem/* the command line")
        #expect(row("until") == "06:00 the command line" && row("wait") == "1h default")
        #expect(row("max-connections-per-host") == "8 default")
        #expect(row("max-wait") == "1h30m /home/alice/.config/coursefetch/config.yaml:1:11")
        #expect(row("checksum") == "false /home/alice/.config/coursefetch/config.yaml:2:14")
        #expect(row("bwlimit") == "off default" && row("max-delete") == "10% default" && row("library") == "/l default")
    }

    @Test("doctor lists hooks and the hosts of webhooks; no address shows a password or a query")
    func secretsInListing() throws {
        let settings = try Self.settings(
            ["on-finish": ["post http://a:hush@h/x?q=hush"]], ["COURSEFETCH_CATALOGS": "http://me:hush@h/c?k=hush"],
            file: "hooks: {after-download: 'judge http://a:hush@h/'}\nnotify: https://hooks.slack.com/services/hush\n")
        let rows = EffectiveSettings.rows(
            settings, places: EffectiveLocations(user: "alice", state: "/s", library: "/l"))
        let values = Dictionary(rows.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        #expect(values["catalogs"] == "http://h/c?…" && values["on-finish"] == "post http://h/x?…")
        #expect(values["hooks"] == "after-download: judge http://h/" && values["notify"] == "slack to hooks.slack.com")
        #expect(!rows.contains { $0.value.contains("hush") })
    }

    @Test("every long option of sync is a setting, and every setting an option")
    func names() throws {
        let root = try JSONDecoder().decode(CommandTree.self, from: Data(CourseFetch.dump.utf8)).command
        let sync = try #require(root.subcommands?.first { $0.commandName == "sync" })
        var names = Set((sync.arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name))
        // What a command is about in all is no setting.
        names.subtract(["help", "version", "all-shards"])
        let opposites = SettingTable.all.filter { $0.form == .flag(isInvertible: true) }.map { "no-" + $0.name }
        // Catalogs are arguments.
        #expect(names == Set(SettingTable.all.map(\.name) + opposites).subtracting(["catalogs"]))
    }

    @Test("a mistake beside a webhook doesn't show its address, whatever the mistake is")
    func webhooks() {
        let address = "https://hooks.slack.com/services/T0/hush"
        for text in [
            "notify:\n  - {url: '\(address)', format: slak}\n", "notify: {url: \(address), formt: x}\n",
            "notify: \(address) x\n", "notfy: \(address)\n", "notify: gopher://h/\(address)\n",
            "notify: [\(address)\njobs: 3\n", "notify: '\(address)\n", "notify: [hooks.slack.com/services/T0/hush]\n",
            "notify: 'http://a:hush hush@h/x'\n", "notfy: hooks.slack.com/hush\n",
        ] {
            #expect {
                _ = try SettingsFile(bytes: Array(text.utf8), path: "/c.yaml")
            } throws: { error in
                let shown = ((error as? SettingsError)?.problems.map(\.text) ?? []).joined(separator: "\n")
                return !shown.isEmpty && !shown.contains("hush")
            }
        }
    }

    private static let folder = "/home/alice/.config/coursefetch"

    private static func settings(
        _ environment: [String: String] = [:], file: String, userFile: String
    ) throws(SettingsError) -> SyncSettings {
        let environment = ["HOME": "/home/alice"].merging(environment) { $1 }
        let file = try SettingsFile(bytes: Array(file.utf8), path: folder + "/config.yaml")
        let userFile = try SettingsFile(
            bytes: Array(userFile.utf8), path: folder + "/users/maths.yaml", ofUser: true)
        return try SyncSettings(
            SettingLayers(options: [:], environment: environment, file: file, userFile: userFile))
    }

    @Test("a user's own file comes between the environment and the account's file, key by key")
    func userFile() throws {
        let settings = try Self.settings(
            ["COURSEFETCH_RETRIES": "7"],
            file: """
                jobs: 4\nretries: 5\nchecksum: true\nquiet: true\nplugins: [a]\ncatalogs: [x.yaml, y.yaml]\nmax-wait: 1m
                """,
            userFile: "jobs: 2\nretries: 6\nno-checksum: true\nverbose: true\nplugins: [b]\ncatalogs: [z.yaml]\n")
        #expect(settings.jobs.value == .fixed(2) && settings.retries.value == 7)
        #expect(settings.maxWait.value == .seconds(60))
        #expect(settings.jobs.origin.description == Self.folder + "/users/maths.yaml:1:7")
        #expect(!settings.checksum.value && settings.verbose.value && !settings.quiet.value)
        #expect(settings.plugins.value == [Self.folder + "/users/b", Self.folder + "/a"])
        #expect(settings.catalogs.value == [Self.folder + "/users/z.yaml"])
    }

    @Test("hooks and notify of a user's file take the place of the account's, each as a whole")
    func userHooks() throws {
        let file = "hooks: {on-new: a, on-failure: b}\nnotify: https://a.example.org/\n"
        var settings = try Self.settings(file: file, userFile: "hooks: {on-new: c}\n")
        #expect(settings.hooks.commands.mapValues { $0.map(\.command) } == [.onNew: ["c"]])
        #expect(settings.hooks.folder == Self.folder + "/users" && settings.hooks.notifications.count == 1)
        let rows = EffectiveSettings.rows(settings).filter { ["hooks", "notify"].contains($0.name) }
        #expect(
            rows.map { "\($0.value) \($0.origin)" } == [
                "on-new: c \(Self.folder)/users/maths.yaml:1:1", "json to a.example.org \(Self.folder)/config.yaml:2:1",
            ])
        settings = try Self.settings(file: file, userFile: "notify: []\n")
        #expect(settings.hooks.notifications.isEmpty && settings.hooks.commands.count == 2)
        #expect(settings.hooks.folder == Self.folder)
    }

    @Test("mistakes of a user's file have their place, and it can't name another user")
    func userMistakes() {
        for (text, message) in [
            ("jobs: 0\n", "/users/maths.yaml:1:7: error: jobs: 0 isn't between 1 and 256\n    jobs: 0\n          ^"),
            (
                "user: bob\n",
                """
                /users/maths.yaml:1:1: error: these are the settings of one user: 'user' isn't one of them
                    user: bob
                    ^
                """
            ),
        ] {
            #expect {
                _ = try Self.settings(file: "jobs: 3\n", userFile: text)
            } throws: { error in
                (error as? SettingsError)?.problems.map(\.text) == [Self.folder + message]
            }
        }
    }

    @Test("the file is that of the user whom the option, the environment or the account's file names")
    func userFileNames() throws {
        func name(_ options: [String: [String]], _ variables: [String: String], _ file: String) throws -> String? {
            let environment = ["HOME": "/h"].merging(variables) { $1 }
            let file = try SettingsFile(bytes: Array(file.utf8), path: "/h/.config/coursefetch/config.yaml")
            return SettingLayers(options: options, environment: environment, file: file).userFilePath
        }
        let folder = "/h/.config/coursefetch/users/"
        let variable = ["COURSEFETCH_USER": "b"]
        #expect(try name(["user": ["a"]], variable, "user: c\n") == folder + "a.yaml")
        #expect(try name([:], variable, "user: c\n") == folder + "b.yaml")
        #expect(try name([:], [:], "user: c\n") == folder + "c.yaml")
        #expect(try name(["user": ["../x"]], [:], "") == nil)
        let own = UserName.ofThisAccount(environment: [:]).text
        #expect(try name([:], [:], "") == folder + own + ".yaml")
    }

    @Test("a receiver is restricted by 'only', which pings don't take")
    func only() throws {
        let file = try SettingsFile(
            bytes: Array("notify: [{url: 'https://h/x', only: failures}, https://hc-ping.com/x]\n".utf8),
            path: "/c.yaml")
        #expect(file.hooks.notifications.map(\.only) == [.failures, nil])
        #expect(file.hooks.notifications.map(\.format) == [.json, .healthchecks])
        for (text, message) in [
            ("{url: 'https://h/x', only: old}", "'only' is one of new, failures"),
            ("{url: 'https://hc-ping.com/x', only: new}", "'only' is for notifications; healthchecks gets pings"),
        ] {
            #expect {
                _ = try SettingsFile(bytes: Array("notify: \(text)\n".utf8), path: "/c.yaml")
            } throws: { error in
                (error as? SettingsError)?.problems.first?.text.contains(message) == true
            }
        }
    }
}
