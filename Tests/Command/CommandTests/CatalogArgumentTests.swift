import Foundation
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("Catalogs from standard input, from the settings, and by init")
struct CatalogArgumentTests {
    private static let catalog = #"version: 1\ncourses: [{id: a, provider: direct, videos: [v]}]\n"#

    private static func run(shell: String) async throws -> BuiltProgram.Ending {
        try await BuiltProgram.run("coursefetch", [], shell: shell)
    }

    @Test("- is standard input; includes are looked for in the working folder")
    func standardInput() async throws {
        let ending = try await Self.run(shell: "printf '\(Self.catalog)' | \"$0\" check - --no-plugins")
        #expect(ending == .init(code: 0, output: "1 video in 1 course, no mistakes\n", diagnostics: ""))
        let including = try await Self.run(
            shell: """
                printf '\(Self.catalog)' > b.yaml; printf 'version: 1\\ninclude: b.yaml\\n' | "$0" check - --no-plugins
                """)
        #expect(including.output == "1 video in 1 course in 2 files, no mistakes\n")
    }

    @Test("a mistake on standard input is shown with its line, and no copy of it stays on the disk")
    func mistake() async throws {
        let ending = try await Self.run(
            shell:
                "mkdir t; printf 'version: 1\\ncourse: []\\n' | TMPDIR=$PWD/t \"$0\" check -; code=$?; ls -A t; exit $code"
        )
        #expect(ending.code == 65)
        #expect(ending.output == "1 error\n")
        #expect(ending.diagnostics.hasPrefix("<stdin>:2:1: error: "), "\(ending.diagnostics)")
        #expect(ending.diagnostics.contains("\n    course: []\n"), "\(ending.diagnostics)")
    }

    @Test("catalogs in the settings are relative to the settings file; those of the command line replace them")
    func settings() async throws {
        let settings = """
            mkdir -p .config/coursefetch; printf '\(Self.catalog)' > .config/coursefetch/a.yaml
            echo 'catalogs: [a.yaml]' > .config/coursefetch/config.yaml
            """
        let check = try await Self.run(shell: settings + "\n\"$0\" check --no-plugins")
        #expect(check == .init(code: 0, output: "1 video in 1 course, no mistakes\n", diagnostics: ""))
        let other = try await Self.run(shell: settings + "\n\"$0\" check --no-plugins b.yaml")
        #expect(other.code == 66 && other.diagnostics.hasPrefix("b.yaml: error: can't be read: "))
        let variable = try await Self.run(shell: settings + "\nCOURSEFETCH_CATALOGS='x.yaml y.yaml' \"$0\" check")
        #expect(variable.output == "2 errors\n")
    }

    @Test("an address, - and an absolute path in the settings stay as they are")
    func notRelative() throws {
        let file = try SettingsFile(
            bytes: Array("catalogs: ['-', 'HTTPS://h/c.yaml', /a.yaml, b.yaml, ~/c.yaml]".utf8),
            path: "/etc/x/config.yaml")
        let settings = try SyncSettings(
            SettingLayers(options: [:], environment: ["HOME": "/home/alice"], file: file))
        #expect(
            settings.catalogs.value == ["-", "HTTPS://h/c.yaml", "/a.yaml", "/etc/x/b.yaml", "/home/alice/c.yaml"])
    }

    @Test("init writes a catalog that check accepts, and settings that name it")
    func firstFiles() async throws {
        let ending = try await Self.run(
            shell: """
                "$0" init --title 'Übung: Mechanik 1' --source https://media.example.org/phys/in%20tro.mp4?q=1 </dev/null &&
                cat .config/coursefetch/*.yaml && "$0" check --no-plugins
                """)
        #expect(ending.code == 0, "\(ending)")
        let home = ending.output.firstMatch(of: /made (.+)\/\.config/)?.1 ?? ""
        #expect(
            ending.output == #"""
                made \#(home)/.config/coursefetch/catalog.yaml: Übung: Mechanik 1, with one video so far
                made \#(home)/.config/coursefetch/config.yaml: it names this catalog, so that sync, check and resolve need no argument
                next: coursefetch sync --dry-run, then coursefetch sync
                # What to download: courses, chapters, videos. Look for mistakes with: coursefetch check
                version: 1
                courses:
                  - id: ubung-mechanik-1
                    title: "Übung: Mechanik 1"
                    provider: direct
                    parameters:
                      # {id} is replaced by each video's id.
                      url: "https://media.example.org/phys/{id}.mp4?q=1"
                    videos:
                      - id: "in tro"
                      # One line for each further video; the title becomes its file's name.
                      # - {id: lecture2, title: Acceleration}
                # Each long option of sync can stand here under its own name. See the settings in effect with: coursefetch doctor
                catalogs: ["catalog.yaml"]
                # Where the videos go, if not to ~/coursefetch/NAME:
                # library: /media/videos
                # jobs: 3
                # bwlimit: 10M
                1 video in 1 course, no mistakes

                """#)
    }

    @Test("init overwrites nothing and writes nothing then; without a terminal it needs its answers")
    func refused() async throws {
        let there = try await Self.run(
            shell: """
                mkdir -p .config/coursefetch; echo 'jobs: 2' > .config/coursefetch/config.yaml
                "$0" init --title A --source peertube; echo $?; ls .config/coursefetch; cat .config/coursefetch/config.yaml
                """)
        #expect(there.output == "73\nconfig.yaml\njobs: 2\n")
        #expect(
            there.diagnostics.hasSuffix(
                "/.config/coursefetch/config.yaml exists already; nothing was written. Edit it, or move it away\n"))
        let silent = try await Self.run(shell: "\"$0\" init --title A </dev/null")
        #expect(silent.code == 64)
        #expect(silent.diagnostics == "error: there is no terminal to ask on; give --source\n")
    }
}
