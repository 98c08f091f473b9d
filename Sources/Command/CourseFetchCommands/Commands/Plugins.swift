import ArgumentParser
import CommandOutput
import Foundation
import Operations
import Terminal

struct Plugins: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "Show, check, make, install and remove provider plugins.",
        subcommands: [PluginsList.self, PluginsCheck.self, PluginsNew.self, PluginsInstall.self, PluginsRemove.self])
}

struct PluginsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the installed plugins, and why broken ones are broken.",
        discussion: """
            Searches each --plugins folder, the folders in COURSEFETCH_PLUGINS, ~/.local/share/coursefetch/plugins and \
            the installed plugins; the first plugin with a name wins. Shows where each is, its methods, its parameters \
            (the required ones first, with a star) and what a login asks for.

            EXAMPLES:
              coursefetch plugins list
              coursefetch plugins list --plugins ./my-plugins
            """)

    @OptionGroup var plugins: PluginOptions

    @Flag(help: "Print one JSON object per plugin.")
    var json = false

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.usableSettings(plugins.texts)
        let (listings, searched) = await PluginSummary.all(plugins: settings.plugins.value)
        if json {
            for listing in listings { context.output.send(PluginsText.json(listing), to: STDOUT_FILENO) }
        } else {
            PluginsText.lines(listings, searched: searched).forEach(context.say)
        }
        try await context.finish()
    }
}
