import CommandOutput
import Foundation

/// The manual page, generated from the command tree, so that it can't document options that don't exist.
struct ManualPage {
    private let root: CommandTree.Command

    /// Decodes the argument parser's description.
    init(dump: String) throws {
        root = try JSONDecoder().decode(CommandTree.self, from: Data(dump.utf8)).command
    }

    /// The page, for man(1).
    var roff: String {
        var page = RoffWriter()
        page.macro("TH", "COURSEFETCH", "1", "", "coursefetch \(CourseFetch.version)", "User Commands")
        page.section("NAME")
        page.text("coursefetch - \(lowercasedFirst(root.abstract ?? ""))")
        page.section("SYNOPSIS")
        page.macro("B", "coursefetch")
        page.text("command [options]")
        page.section("DESCRIPTION")
        page.text(
            """
            A catalog (a YAML file) lists courses, chapters and videos. A provider plugin knows the current URL of \
            each video. coursefetch downloads missing videos into a library folder, continues interrupted downloads, \
            and moves files when titles change.
            """)
        page.section("COMMANDS")
        for command in root.visibleSubcommands { add(command, path: "coursefetch", to: &page) }
        page.section("EXIT STATUS")
        for status in ExitStatus.allCases {
            page.item("\(status.rawValue)")
            page.text(status.meaning)
        }
        page.section("ENVIRONMENT")
        for key in SettingTable.all {
            page.item(key.variable)
            page.text(key.name == SettingTable.shared.catalogs.name ? key.help : "As --\(key.name).")
        }
        page.item("NO_COLOR")
        page.text("Disables colours if not empty.")
        page.section("FILES")
        page.item("$XDG_CONFIG_HOME/coursefetch/config.yaml")
        page.text("Settings: each long option of sync under its own name. Default: ~/.config.")
        page.item("$XDG_CONFIG_HOME/coursefetch/users/NAME.yaml")
        page.text("Settings of one user (--user NAME), which come before these.")
        page.item("$XDG_STATE_HOME/coursefetch/users/NAME/")
        page.text("State of a user. Default: ~/.local/state.")
        page.item("$XDG_DATA_HOME/coursefetch/plugins/")
        page.text("Provider plugins of your own. Default: ~/.local/share.")
        return page.source
    }

    private func add(_ command: CommandTree.Command, path: String, to page: inout RoffWriter) {
        let path = "\(path) \(command.commandName)"
        let subcommands = command.visibleSubcommands
        guard subcommands.isEmpty else {
            for subcommand in subcommands { add(subcommand, path: path, to: &page) }
            return
        }
        page.macro("SS", synopsis(command, path: path))
        if let abstract = command.abstract { page.text(abstract) }
        if let discussion = command.discussion { page.discussion(discussion) }
        let all = Set(command.visibleArguments.flatMap { $0.names ?? [] }.map(\.name))
        for argument in command.visibleArguments where argument.names?.contains(where: { $0.name == "version" }) != true
        {
            let names = (argument.names ?? []).map(\.name)
            // A flag and its opposite are one entry.
            if names.contains(where: { $0.hasPrefix("no-") && all.contains(String($0.dropFirst(3))) }) { continue }
            let opposites = names.filter { all.contains("no-" + $0) }.map { ", --no-" + $0 }
            page.item(label(argument) + opposites.joined())
            page.text(argument.abstract ?? "")
        }
    }

    private func synopsis(_ command: CommandTree.Command, path: String) -> String {
        let positionals = command.visibleArguments.filter { $0.kind == "positional" }.map { argument in
            let name = (argument.valueName ?? "argument").uppercased() + (argument.isRepeating ? "..." : "")
            return argument.isOptional ? "[\(name)]" : name
        }
        return ([path] + positionals + ["[options]"]).joined(separator: " ")
    }

    private func label(_ argument: CommandTree.Argument) -> String {
        let value = argument.valueName ?? "value"
        if argument.kind == "positional" { return value.uppercased() + (argument.isRepeating ? "..." : "") }
        // Short names first, by convention.
        let names = (argument.names ?? []).sorted { $0.kind == "short" && $1.kind != "short" }.map(\.typed)
        return names.joined(separator: ", ") + (argument.kind == "option" ? " \(value.uppercased())" : "")
    }

    private func lowercasedFirst(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }
}
