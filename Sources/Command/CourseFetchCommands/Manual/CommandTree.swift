/// The command tree as the argument parser describes itself, as far as a manual needs it.
struct CommandTree: Decodable {
    struct Command: Decodable {
        var commandName: String
        var shouldDisplay: Bool
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String

            /// As it is typed: `-n`, `--dry-run`.
            var typed: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: String
        var shouldDisplay: Bool
        var sectionTitle: String?
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var preferredName: Name?
        var valueName: String?
        var abstract: String?
    }

    var command: Command
}

extension CommandTree.Command {
    /// The commands that the manual documents.
    var visibleSubcommands: [CommandTree.Command] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    /// The arguments that the manual documents.
    var visibleArguments: [CommandTree.Argument] { (arguments ?? []).filter(\.shouldDisplay) }
}
