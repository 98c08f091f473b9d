import Foundation
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("The command line of the program")
struct CommandLineTests {
    private static func run(
        _ arguments: String..., environment: [String: String] = [:], shell: String? = nil
    ) async throws -> BuiltProgram.Ending {
        try await BuiltProgram.run("coursefetch", arguments, environment: environment, shell: shell)
    }

    @Test("without arguments it says what it is for")
    func overview() async throws {
        #expect(try await Self.run() == .init(code: 0, output: Overview.text + "\n", diagnostics: ""))
    }

    @Test("the version")
    func version() async throws {
        let expected = BuiltProgram.Ending(code: 0, output: "coursefetch \(CourseFetch.version)\n", diagnostics: "")
        #expect(try await Self.run("--version") == expected)
    }

    @Test("help ends with the exit codes, on standard output")
    func help() async throws {
        let ending = try await Self.run("help", "sync")
        #expect(ending.code == 0 && ending.diagnostics.isEmpty)
        #expect(ending.output.hasSuffix(ExitStatus.table + "\n"))
        #expect(try await Self.run("sync", "--help") == ending)
    }

    @Test(
        "wrong usage is 64, reported on standard error",
        arguments: [
            (["sync", "a.yaml", "--jobbs", "3"], "error: there is no option --jobbs; did you mean --jobs?"),
            (["sync", "a.yaml", "--frobnicate"], "error: there is no option --frobnicate"),
            (["sync", "a.yaml", "--jobs"], "error: --jobs needs a value: --jobs <n|auto>"),
            (["sync", "a.yaml", "--quiet=yes"], "error: --quiet takes no value, but 'yes' was given"),
            (["sync", "-", "--watch"], "error: --watch can't read standard input again; name a file or an address"),
            (["sync", "a.yaml", "--jobs", "none"], "error: --jobs: 'none' isn't a whole number"),
            (
                ["sync", "a.yaml", "--limit-rate", "2"],
                "error: --limit-rate: '2' has no unit: write 2B, 2K, 2M, 2G or 2T (powers of 1024)"
            ),
            (["sync", "a.yaml", "-q", "-v"], "error: --quiet and --verbose can't be used together"),
            (
                ["sync", "a.yaml", "--only", "a//b"],
                "error: --only: 'a//b' has an empty part; write \(SelectorSyntax.forms)"
            ),
            (
                ["status", "a/b/c/d"],
                "error: 'a/b/c/d' has more than three parts; write "
                    + "\(SelectorSyntax.forms), a / inside an id as %2F"
            ),
            (["check", "--schema", "a.yaml"], "error: --schema takes no catalogs"),
            (["prioritize", "--all"], "error: --to <priority> is missing"),
            (
                ["prioritize", "--all", "--to", "soon"],
                "error: --to: 'soon' isn't a priority: use high, normal, low, a whole number from -1,000,000 to 1,000,000, now or "
                    + "catalog"
            ),
            (["users", "bob"], "error: 'bob' is one argument too many"),
            (["users", "bob", "eve"], "error: these arguments are too many: bob eve"),
            (["fetch"], "error: there is no command fetch"),
            (["snyc"], "error: there is no command snyc; did you mean sync?"),
            (["help", "snyc"], "error: there is no command snyc; did you mean sync?"),
            (["plugins", "lst"], "error: there is no command plugins lst; did you mean plugins list?"),
            (["library", "mvoe", "/x"], "error: there is no command library mvoe; did you mean library move?"),
        ])
    func usage(arguments: [String], message: String) async throws {
        let ending = try await BuiltProgram.run("coursefetch", arguments)
        #expect(ending.code == 64)
        #expect(ending.output == "")
        #expect(ending.diagnostics.split(separator: "\n").first.map(String.init) == message)
    }

    @Test("a mistake is followed by the usage of the command, where that helps, and a pointer to the help")
    func seeAlso() async throws {
        let unknown = try await Self.run("snyc", "catalog.yaml")
        #expect(
            unknown.diagnostics == """
                error: there is no command snyc; did you mean sync?
                see: coursefetch help

                """)
        let missing = try await Self.run("library", "move")
        #expect(
            missing.diagnostics == """
                error: <folder> is missing
                usage: coursefetch library move <folder> [<options>]
                see: coursefetch help library move

                """)
    }

    @Test("without a catalog it says where catalogs can be named", arguments: ["sync", "check"])
    func noCatalog(command: String) async throws {
        let ending = try await Self.run(command)
        #expect(ending.code == 64 && ending.output == "")
        let home = ending.diagnostics.firstMatch(of: /in (.+)\/\.config/)?.1 ?? ""
        #expect(
            ending.diagnostics == """
                error: no catalog is named. Name one (coursefetch sync catalog.yaml), or list yours in \
                \(home)/.config/coursefetch/config.yaml (catalogs: [/path/to/catalog.yaml]). A first one is made by: \
                coursefetch init

                """)
    }

    @Test("the first address is for init")
    func firstAddress() async throws {
        let ending = try await Self.run("add", "https://example.org/a b/")
        #expect(ending.code == 64)
        #expect(
            ending.diagnostics == """
                error: there is no catalog yet. A first one, with this course, is made by: coursefetch init --source \
                'https://example.org/a b/'

                """)
    }

    @Test("mistakes in the environment and in the settings file are 64 too")
    func settings() async throws {
        let ending = try await Self.run(
            "status", environment: ["COURSEFETCH_USER": "bob", "COURSEFETCH_LIBRARY": "~/x"])
        #expect(ending.code != 64)
        let broken = try await BuiltProgram.run(
            "coursefetch", ["sync", "a.yaml"],
            shell: """
                mkdir -p .config/coursefetch; echo 'job: 3' > .config/coursefetch/config.yaml; exec "$0" "$@"
                """)
        #expect(broken.code == 64)
        #expect(
            broken.diagnostics.contains("config.yaml:1:1: error: there is no setting 'job'; did you mean 'jobs'?\n"))
    }

    @Test("a closed reader is no error; a closed output is")
    func goneReader() async throws {
        #expect(try await Self.run(shell: "{ \"$0\" help sync; echo $? >&2; } | true").diagnostics == "0\n")
        for command in ["help sync", "sync --help", "plugins list"] {
            let closed = try await Self.run(shell: "\"$0\" \(command) >&-")
            #expect(closed.code == 73 && closed.diagnostics.hasPrefix("error: can't write the output: "), "\(closed)")
        }
    }

    @Test("completions for the usual shells", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let ending = try await Self.run("--generate-completion-script", shell)
        #expect(ending.code == 0)
        #expect(ending.output.contains("max-connections-per-host"))
    }

    @Test("the manual page is made by the program itself")
    func manual() async throws {
        let ending = try await Self.run("manual")
        #expect(ending.code == 0)
        let page = try ManualPage(dump: CourseFetch.dump).roff
        #expect(ending.output == page + "\n")
    }
}
