import ArgumentParser
import CommandOutput
import Foundation
import Operations
import PluginTemplates

struct PluginsNew: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a folder with a new plugin.",
        usage: "coursefetch plugins new <name> --language <language> [<folder>]",
        discussion: """
            The new plugin is small and complete, and passes coursefetch plugins check: change it until it knows your \
            host. A plugin in Swift has to be built first. docs/writing-a-provider.md describes each step.

            EXAMPLES:
              coursefetch plugins new my-host --language python
              coursefetch plugins new my-host --language swift ~/src/my-host
            """)

    @Argument(help: "The provider's name in catalogs.")
    var name: String

    @Argument(help: "The folder to make (default: NAME).", completion: .directory)
    var folder: String?

    @Option(help: ArgumentHelp("The language: swift, python or sh.", valueName: "language"))
    var language: PluginLanguage

    func run() async throws {
        let context = CommandContext()
        let plugin = try await PluginsProblem.refused(in: context) { () throws(PluginsProblem) in
            let plugin = try NewPlugin(name: name, language: language, folder: folder)
            try plugin.write(PluginTemplate(name: name, language: language).files(kit: plugin.kit))
            return plugin
        }
        NewPluginText.lines(plugin).forEach(context.say)
        try await context.finish()
    }
}

extension PluginLanguage: ExpressibleByArgument {}
