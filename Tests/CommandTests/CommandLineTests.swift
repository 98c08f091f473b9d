import Foundation
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("The program on its command line")
struct CommandLineTests {
    private static func run(
        _ arguments: String..., environment: [String: String] = [:], shell: String? = nil
    ) async throws -> BuiltProgram.Ending {
        try await BuiltProgram.run("coursefetch", arguments, environment: environment, shell: shell)
    }

    @Test("alone it says what it is for")
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
        "wrong usage is 64, told on standard error",
        arguments: [
            (["sync"], "Error: Missing expected argument '<catalog> ...'"),
            (["sync", "a.yaml", "--jobbs", "3"], "Error: Unknown option '--jobbs'. Did you mean '--jobs'?"),
            (["sync", "a.yaml", "--jobs", "none"], "error: --jobs: “none” is not a whole number"),
            (
                ["sync", "a.yaml", "--limit-rate", "2"],
                "error: --limit-rate: “2” has no unit: write 2B, 2K, 2M, 2G or 2T (powers of 1024)"
            ),
            (["sync", "a.yaml", "-q", "-v"], "error: --quiet and --verbose contradict each other"),
            (
                ["sync", "a.yaml", "--only", "a//b"],
                "error: --only: “a//b” has an empty part; write \(SelectorText.forms)"
            ),
            (
                ["status", "a/b/c/d"],
                "Error: The value 'a/b/c/d' is invalid for '<selector>': “a/b/c/d” has more than three parts; write "
                    + "\(SelectorText.forms), a / inside an id as %2F"
            ),
            (["check"], "Error: name at least one catalog, or --schema"),
            (["fetch"], "Error: Unexpected argument 'fetch'"),
            (["plugins", "lst"], "Error: Unexpected argument 'lst'"),
        ])
    func usage(arguments: [String], message: String) async throws {
        let ending = try await BuiltProgram.run("coursefetch", arguments)
        #expect(ending.code == 64)
        #expect(ending.output == "")
        #expect(ending.diagnostics.split(separator: "\n").first.map(String.init) == message)
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
            broken.diagnostics.contains("config.yaml:1:1: error: there is no setting “job”; did you mean “jobs”?\n"))
    }

    @Test("a reader that is gone is no error; a closed output is")
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
