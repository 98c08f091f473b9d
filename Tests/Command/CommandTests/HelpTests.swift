import ArgumentParser
import Foundation
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("Help and manual")
struct HelpTests {
    static func root() throws -> CommandTree.Command {
        try JSONDecoder().decode(CommandTree.self, from: Data(CourseFetch.dump.utf8)).command
    }

    /// The command lines of all commands that do something.
    static func paths(_ command: CommandTree.Command, _ path: [String] = []) -> [[String]] {
        let subcommands = command.visibleSubcommands
        return subcommands.isEmpty ? [path] : subcommands.flatMap { paths($0, path + [$0.commandName]) }
    }

    static func help(_ path: [String]) -> String {
        do {
            // What asks for help is parsed as a command that throws it.
            var command = try CourseFetch.parseAsRoot(path + ["--help"])
            try command.run()
            return ""
        } catch {
            return HelpText.completed(CourseFetch.fullMessage(for: error, columns: 80))
        }
    }

    @Test("the list of commands is complete")
    func commands() throws {
        let names = Self.paths(try Self.root()).map { $0.joined(separator: " ") }
        #expect(
            names == [
                "sync", "init", "add", "check", "status", "history", "search", "path", "open", "serve", "pause",
                "resume",
                "cancel", "retry",
                "remove",
                "prioritize",
                "set",
                "verify", "copy",
                "resolve", "list", "catalog from", "catalog from-streams", "login", "logout", "users", "plugins list",
                "plugins check",
                "plugins new", "plugins install", "plugins remove", "library move", "library adopt",
                "reshard", "migrate", "forget",
                "doctor",
            ])
    }

    @Test("each help has examples and ends with the exit codes, in 80 columns")
    func help() throws {
        for path in Self.paths(try Self.root()) {
            let text = Self.help(path)
            #expect(text.hasPrefix("OVERVIEW: "), "\(path)")
            #expect(
                text.contains("\nEXAMPLES:\n  coursefetch \(path.joined(separator: " "))")
                    || path == ["library", "move"])
            #expect(text.hasSuffix("\n\n" + ExitStatus.table))
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test("no example is broken by the width of a terminal")
    func examples() throws {
        for path in Self.paths(try Self.root()) {
            let examples = Self.help(path).split(separator: "EXAMPLES:\n", maxSplits: 1).last?.split(separator: "\n\n")
                .first
            for line in (examples ?? "").split(separator: "\n") { #expect(line.hasPrefix("  "), "\(line)") }
        }
    }

    @Test("text that isn't help stays unchanged")
    func notHelp() {
        #expect(HelpText.completed("coursefetch 0.1.0") == "coursefetch 0.1.0")
    }

    @Test("the manual has every command and every option")
    func manual() throws {
        let page = try ManualPage(dump: CourseFetch.dump).roff
        #expect(
            page.hasPrefix(
                ".TH COURSEFETCH 1 \"\" \"coursefetch \(CourseFetch.version)\" \"User Commands\"\n.SH NAME\ncoursefetch \\- downloads"
            ))
        #expect(page.contains(".SS \"coursefetch sync [CATALOG...] [options]\"\n"))
        #expect(page.contains(".TP\n\\fB\\-j, \\-\\-jobs N|AUTO\\fR\nNumber of downloads at the same time; auto:"))
        #expect(page.contains(".SS \"coursefetch check [CATALOG...] [options]\"\n"))
        // A flag and its opposite are one entry: neither has the other's meaning.
        #expect(page.contains(".TP\n\\fB\\-\\-checksum, \\-\\-no\\-checksum\\fR\nHash every file"))
        #expect(!page.contains("\\fB\\-\\-no\\-"))
        #expect(
            page.contains(".nf\n  coursefetch status \\-\\-failed\n")
                || page.contains("\n  coursefetch status \\-\\-failed\n"))
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
            #expect(page.contains(".SH \(section.contains(" ") ? "\"\(section)\"" : section)\n"), "\(section)")
        }
        #expect(!page.contains("manual\""))
    }

    @Test("no text is taken for a roff macro")
    func roff() {
        var text = RoffWriter()
        text.text(".profile and 'quotes' \\ back")
        text.discussion("Words.\n  as is\nMore.")
        #expect(
            text.source
                == "\\&.profile and \\(aqquotes\\(aq \\e back\n.PP\nWords.\n.PP\n.nf\n  as is\n.fi\n.PP\nMore.\n")
    }
}
