import Checkout
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Runs the examples of the README and the catalogs folder with the built program.
@Suite("Examples")
struct ExampleTests {
    /// Runs the program with an empty home and nothing else in its environment.
    private static func coursefetch(_ arguments: [String], home: TemporaryFolder) async throws -> Tool.Ending {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let program = Built.executable("coursefetch").string
        return try await Tool.run(
            "/usr/bin/env", ["-i", "HOME=\(home.path)", "LANG=C.UTF-8", "PATH=\(path)", program] + arguments)
    }

    /// Writes the README's catalog and provider where the page says they belong. Returns the catalog's path.
    private static func readme(into home: TemporaryFolder) throws -> String {
        let page = try Page("README.md")
        let catalog = try #require(page.blocks("yaml").first { $0.hasPrefix("version: 1\n") })
        let manifest = try #require(page.blocks("yaml").first { $0.hasPrefix("name: ") })
        let program = try #require(page.blocks("sh").first { $0.hasPrefix("#!/bin/sh\n") })
        #expect(catalog.split(separator: "\n").count == 10, "the README promises ten lines")
        #expect((manifest + program).split(separator: "\n").count <= 10, "the README promises ten lines")
        let folder = ".local/share/coursefetch/plugins/lectures"
        try home.write(catalog, to: "catalog.yaml")
        try home.write(manifest, to: "\(folder)/plugin.yaml")
        try home.write(program, to: "\(folder)/lectures")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: home.at("\(folder)/lectures").string)
        return home.at("catalog.yaml").string
    }

    @Test("the README's catalog has no mistakes, with its provider and without")
    func catalog() async throws {
        let home = TemporaryFolder()
        let catalog = try Self.readme(into: home)
        for options in [["--no-plugins"], []] {
            let ending = try await Self.coursefetch(["check", catalog] + options, home: home)
            #expect(ending.isSuccess, "\(ending.output)")
            #expect(ending.output.contains("no mistakes"))
        }
    }

    @Test("the README's provider says where each of its videos is")
    func provider() async throws {
        let home = TemporaryFolder()
        let catalog = try Self.readme(into: home)
        let ending = try await Self.coursefetch(["resolve", catalog, "phys101", "--json"], home: home)
        #expect(ending.isSuccess, "\(ending.output)")
        let urls = ending.output.matches(of: /"url":"([^"]*)"/).map { String($0.1) }
        #expect(
            urls == ["https://media.example.org/phys101/k1.mp4", "https://media.example.org/phys101/k2.mp4"],
            "\(ending.output)")
    }

    @Test("the protocol page's plugin and manifest are complete and correct")
    func protocolPage() async throws {
        let page = try Page("docs/protocol.md")
        let program = try #require(page.blocks("sh").first)
        let manifest = try #require(page.blocks("yaml").first)
        #expect(manifest.hasPrefix("name: peertube "))
        let home = TemporaryFolder()
        try home.write(manifest, to: "plugins/peertube/plugin.yaml")
        try home.write(program, to: "plugins/peertube/peertube")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: home.at("plugins/peertube/peertube").string)
        try home.write(
            """
            version: 1
            courses: [{id: c, provider: peertube, parameters: {host: h, scope: members}, videos: [a b]}]
            """, to: "catalog.yaml")
        let plugins = ["--plugins", home.at("plugins").string]
        let ending = try await Self.coursefetch(
            ["resolve", home.at("catalog.yaml").string, "c", "--json"] + plugins, home: home)
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(ending.output.contains("\"url\":\"https://media.example.org/a%20b.mp4\""), "\(ending.output)")
    }

    @Test("the catalog page's example has no mistakes")
    func catalogPage() async throws {
        let home = TemporaryFolder()
        let catalog = try #require(try Page("docs/catalog.md").blocks("yaml").first)
        try home.write(catalog, to: "catalog.yaml")
        for (name, course) in [("optics.yaml", "o"), ("2026-autumn.yaml", "a")] {
            try home.write("version: 1\ncourses: [{id: \(course), videos: [v]}]\n", to: name)
        }
        let ending = try await Self.coursefetch(
            ["check", home.at("catalog.yaml").string, "--no-plugins"], home: home)
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(ending.output.contains("in 3 files, no mistakes"), "\(ending.output)")
    }

    @Test("the page of hosts has a column and a catalog without mistakes for each of its providers")
    func hostsPage() async throws {
        let page = try Page("docs/hosts.md")
        let general: Set = [
            "demo", "direct", "feed", "index", "program", "rclone", "s3", "secure-link", "shared", "webdav", "yt-dlp",
        ]
        let hosts = Set(Checkout.names(in: "Plugins")).subtracting(general)
        let columns = page.text.split(separator: "\n").filter { $0.hasPrefix("| | ") }.joined()
        #expect(Set(columns.matches(of: /`([a-z-]+)`/).map { String($0.1) }) == hosts)
        var named: Set<String> = []
        for catalog in page.blocks("yaml") {
            let home = TemporaryFolder()
            try home.write(catalog, to: "catalog.yaml")
            let ending = try await Self.coursefetch(["check", home.at("catalog.yaml").string], home: home)
            #expect(ending.isSuccess && ending.output.contains("no mistakes"), "\(ending.output)")
            #expect(catalog.split(separator: "\n").count <= 6, "five lines and the version")
            named.formUnion(catalog.matches(of: /provider: ([a-z-]+)/).map { String($0.1) })
        }
        #expect(named == hosts)
    }

    @Test("every option that a page names exists")
    func options() async throws {
        let manual = try await Self.coursefetch(["manual"], home: TemporaryFolder()).output
            .replacingOccurrences(of: "\\-", with: "-")
        // Of jq, of sbatch and parallel, of yt-dlp, gallery-dl and aria2, of swift, of systemctl, of setpriv, of pass, of somebody's helper, and of a command that the protocol page says isn't there yet.
        let others: Set = [
            "--unbuffered", "--array", "--plus", "--provider", "--now", "--pdeathsig", "--multiline", "--vault",
            "--package-path", "--full",
            "--static-swift-stdlib", "--download-archive", "--write-metadata", "--save-session", "--no-part",
        ]
        let known = Set(manual.matches(of: /--[a-z][a-z-]+/).map { String($0.0) }).union(others)
        #expect(known.count > 25)
        for page in ["README.md", "CHANGELOG.md"]
            + Checkout.names(in: "docs").filter({ $0.hasSuffix(".md") }).map({ "docs/" + $0 })
        {
            for option in try Page(page).text.matches(of: /--[a-z][a-z-]+/) {
                #expect(known.contains(String(option.0)), "\(page): \(option.0)")
            }
        }
    }

    @Test("the options used by the scripts in contrib/ exist")
    func contributions() async throws {
        let files =
            ["crontab", "session-end", "slurm/coursefetch.sbatch", "slurm/report.sbatch"]
            + Checkout.names(in: "contrib/systemd").map { "systemd/" + $0 }
        #expect(files.count >= 5)
        let home = TemporaryFolder()
        var commands: Set<String> = []
        for file in files {
            let text = try Checkout.text("contrib/" + file)
            for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("Description=") {
                for call in line.matches(of: /coursefetch ([a-z]+)((?: +--?[a-z][a-z-]*)*)/) {
                    commands.insert(String(call.1))
                    let help = try await Self.coursefetch(["help", String(call.1)], home: home).output
                    for option in line.matches(of: /\s(--[a-z][a-z-]+)/).map(\.1)
                    where !["--no-legend"].contains(option) {
                        #expect(help.contains(option), "\(file): \(call.1) \(option)")
                    }
                }
            }
        }
        #expect(commands == ["sync", "verify", "login", "logout", "status"])
    }

    @Test(
        "systemd finds nothing wrong with the units",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func units() async throws {
        let home = TemporaryFolder()
        let program = Built.executable("coursefetch").string
        let names = Checkout.names(in: "contrib/systemd")
        for name in names {
            let text = try Checkout.text("contrib/systemd/" + name)
            #expect(name.hasSuffix(".timer") || text.contains("%h/.local/bin/coursefetch "))
            // It looks for the program, too.
            try home.write(text.replacing("%h/.local/bin/coursefetch", with: program), to: name)
        }
        let ending = try await Tool.run(
            "/usr/bin/env",
            ["-i", "HOME=\(home.path)", "XDG_RUNTIME_DIR=\(home.path)", "/usr/bin/systemd-analyze", "verify", "--user"]
                + ["--man=no"] + names.map { home.at($0).string })
        #expect(ending.isSuccess && ending.output.isEmpty, "\(ending.output)")
    }

    @Test("the script that ends a session is valid shell, and executable")
    func sessionEnd() async throws {
        let path = Checkout.path("contrib/session-end")
        #expect(FileManager.default.isExecutableFile(atPath: path))
        let ending = try await Tool.run("/bin/sh", ["-n", path])
        #expect(ending.isSuccess, "\(ending.output)")
    }

    @Test(
        "an example has no mistakes",
        arguments: Checkout.names(in: "catalogs").filter { $0.hasSuffix(".yaml") })
    func example(name: String) async throws {
        let home = TemporaryFolder()
        let ending = try await Self.coursefetch(["check", Checkout.path("catalogs/" + name)], home: home)
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(ending.output.contains("no mistakes"))
    }

    @Test("an example begins by saying what it shows")
    func headers() throws {
        let names = Checkout.names(in: "catalogs").filter { $0.hasSuffix(".yaml") }
        #expect(names.count >= 4)
        for name in names { #expect(try Checkout.text("catalogs/" + name).hasPrefix("# "), "\(name)") }
    }
}
