import ArgumentParser
import CommandOutput
import Foundation
import Operations

/// `coursefetch plugins`.
struct Plugins: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "Providers: the plugins that know where videos are.", subcommands: [PluginsList.self])
}

/// `coursefetch plugins list`.
struct PluginsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the plugins that are found, also the broken ones with the reason.",
        discussion: """
            Looks in each --plugins folder, the folders of COURSEFETCH_PLUGINS, ~/.local/share/coursefetch/plugins and the \
            installed ones; the first of a name wins.

            EXAMPLES:
              coursefetch plugins list
              coursefetch plugins list --plugins ./my-plugins
            """)

    @OptionGroup var plugins: PluginOptions

    @Flag(help: "Print one JSON object a plugin.")
    var json = false

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.usableSettings(plugins.texts)
        let (listings, searched) = await PluginListing.all(plugins: settings.plugins.value)
        if json {
            for listing in listings { context.output.send(PluginsText.json(listing), to: STDOUT_FILENO) }
        } else {
            PluginsText.lines(listings, searched: searched).forEach(context.say)
        }
        try await context.finish()
    }
}
