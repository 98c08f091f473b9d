import ArgumentParser
import MigrationSources
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("The command line of migrate")
struct MigrateCommandTests {
    @Test(
        "mistakes on the command line say what to do",
        arguments: [
            (["ytdlp", "/a"], "error: 'ytdlp' isn't a kind of source; did you mean yt-dlp? There are: "),
            (["floppy", "/a"], "error: 'floppy' isn't a kind of source: manifest"),
            (["manifest"], "error: <source> is missing"), (["manifest", ""], "error: the source is empty"),
            (["manifest", "/a", "--copy", "--link"], "error: --copy, --link and --move can't be used together"),
            (
                ["manifest", "/a", "--move"],
                "error: --move needs --remove-source: otherwise the source would stay"
            ),
            (["manifest", "/a", "--no-start"], "error: --no-start needs --requeue: without it nothing is queued"),
            (["manifest", "/a", "--source-user", "u"], "error: --source-user is for wqdownload, not for manifest"),
            (
                ["manifest", "/a", "--list", "u"],
                "error: --list is for yt-dlp, gallery-dl, aria2, wget, curl or baijiayun, not"
            ),
            (["wget", "/a", "--seen"], "error: --seen is for yt-dlp or gallery-dl, not for wget"),
            (
                ["manifest", "/a", "--endpoint", "https://a.example"],
                "error: --endpoint is for baijiayun, not for manifest"
            ),
            (["baijiayun", "/a", "--endpoint", "https://a.example"], "error: --endpoint needs --write-catalog"),
            (
                ["baijiayun", "/a", "--write-catalog", "c", "--endpoint", "a.example"],
                "error: --endpoint is the address of a server, such as https://"
            ),
            (["manifest", "/a", "--map", ""], "error: --map is empty"),
            (["manifest", "/a", "--catalog", ""], "error: the name of a catalog is empty"),
            (["manifest", "/a"], "error: no catalog is named. Name one that has the source's videos (--catalog"),
        ])
    func usage(arguments: [String], message: String) async throws {
        let ending = try await BuiltProgram.run("coursefetch", ["migrate"] + arguments)
        #expect(ending.code == 64 && ending.output == "")
        #expect(ending.diagnostics.hasPrefix(message), "\(ending.diagnostics)")
    }

    @Test("kinds that options are for exist")
    func kinds() {
        #expect(Set(MigrationKinds.ofUsers + MigrationKinds.listed).isSubset(of: MigrationKinds.names))
    }

    @Test("the options reach the operation's")
    func options() throws {
        let command = try Migrate.parse([
            "manifest", "/a", "--catalog", "b", "--catalog", "c", "--move", "--remove-source", "--requeue",
            "--no-start",
            "--wait", "5m", "-n",
        ])
        #expect(command.kind == .manifest && command.source == "/a" && command.catalogs == ["b", "c"])
        #expect(command.move && command.removeSource && command.requeue && !command.start && command.dryRun)
        #expect(command.waiting.texts == ["wait": ["5m"]])
    }

    @Test("a source that isn't there is 66, in text and in JSON")
    func missing() async throws {
        let script = "echo 'version: 1\ncourses: [{id: a, provider: direct, videos: [v]}]' > c.yaml; "
        let text = try await BuiltProgram.run(
            "coursefetch", [], shell: script + "\"$0\" migrate manifest gone.csv --catalog c.yaml")
        #expect(text == .init(code: 66, output: "", diagnostics: "error: there is no file or folder gone.csv\n"))
        let json = try await BuiltProgram.run(
            "coursefetch", [], shell: script + "\"$0\" migrate manifest gone.csv --catalog c.yaml --json")
        #expect(json.code == 66 && json.diagnostics == "")
        #expect(json.output.contains(#""complete":false,"message":"there is no file or folder gone.csv""#))
    }
}
