import Terminal
import YAMLSource

/// The messages about an invalid command line: the argument parser's messages in our form.
package enum UsageText {
    /// The lines for a message of the parser, which has neither prefix nor usage.
    ///
    /// - Parameters:
    ///   - command: the command, such as `library move`; empty for none.
    ///   - usage: how to write that command; shown if something is missing or superfluous.
    package static func lines(_ message: String, command: [String], usage: String) -> [String] {
        let mistake = Mistake(message)
        var lines = ["error: " + TerminalFormat.printableLines(mistake.text).joined(separator: "\n")]
        if mistake.wantsUsage, !usage.isEmpty { lines.append("usage: " + usage) }
        return lines + [seeAlso(command)]
    }

    /// The lines for a word that isn't a command of `path`, whose commands are `names`.
    package static func unknownCommand(_ word: String, path: [String], names: [String]) -> [String] {
        let word = TerminalFormat.printable(word)
        let suggestion = NearestName.suggestion(for: word, among: names)
        let written = (path + [word]).joined(separator: " ")
        let meant = suggestion.map { "; did you mean \((path + [$0]).joined(separator: " "))?" } ?? ""
        return ["error: there is no command \(written)\(meant)", seeAlso(path)]
    }

    private static func seeAlso(_ command: [String]) -> String {
        "see: " + (["coursefetch", "help"] + command).joined(separator: " ")
    }
}

/// One parsed message of the argument parser.
private struct Mistake {
    var text: String
    /// Whether the command's usage helps.
    var wantsUsage = false

    init(_ message: String) {
        if let match = message.wholeMatch(of: /Unknown option '(.+?)'(?:\. Did you mean '(.+?)'\?)?/) {
            let suggestion = match.2.flatMap { NearestName.suggestion(for: String(match.1), among: [String($0)]) }
            text = "there is no option \(match.1)" + (suggestion.map { "; did you mean \($0)?" } ?? "")
        } else if let match = message.wholeMatch(of: /Unknown option '(.+?)'.*\n   or: (Missing value for .+) in '.+'/)
        {
            self = Mistake(String(match.2))
        } else if let match = message.wholeMatch(of: /Unexpected argument '(.*)'/) {
            text = "'\(match.1)' is one argument too many"
            wantsUsage = true
        } else if let match = message.wholeMatch(of: /\d+ unexpected arguments: '(.*)'/) {
            text = "these arguments are too many: \(match.1.replacing("', '", with: " "))"
            wantsUsage = true
        } else if let match = message.wholeMatch(of: /Missing expected argument '(.+)'/) {
            text = "\(Self.named(String(match.1))) is missing"
            wantsUsage = true
        } else if let match = message.wholeMatch(of: /Missing value for '(-\S+)(?: <(.+)>)?'/) {
            text = "\(match.1) needs a value\(match.2.map { ": \(match.1) <\($0)>" } ?? "")"
        } else if let match = message.wholeMatch(of: /The value '[\s\S]*?' is invalid for '(-\S+) <.+?>': ([\s\S]+)/) {
            text = "\(match.1): \(match.2)"
        } else if let match = message.wholeMatch(of: /The value '[\s\S]*?' is invalid for '<.+?>': ([\s\S]+)/) {
            text = String(match.1)
        } else if let match = message.wholeMatch(of: /The value '([\s\S]*?)' is invalid for '(-\S+)(?: <.+?>)?'(.*)/) {
            text = "\(match.2): '\(match.1)' isn't a value that it takes"
        } else if let match = message.wholeMatch(
            of: /The option '(.+?)' does not take any value, but '(.*)' was specified\./)
        {
            text = "\(match.1) takes no value, but '\(match.2)' was given"
        } else {
            text = message.prefix(1).lowercased() + message.dropFirst()
        }
    }

    /// `<selector> ...` → `<selector>`, and `--to <priority>` as it is.
    private static func named(_ argument: String) -> String {
        argument.hasSuffix(" ...") ? String(argument.dropLast(4)) : argument
    }
}
