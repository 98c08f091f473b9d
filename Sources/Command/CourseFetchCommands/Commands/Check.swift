import ArgumentParser
import CommandOutput
import Foundation
import RunAccess
import Terminal
import YAMLSource

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check catalogs for mistakes.",
        usage: "coursefetch check [<catalog> ...] [<options>]",
        discussion: """
            Reads the catalogs and everything they include, and reports every mistake with file, line and column. \
            Doesn't open the state, and uses the network only for a catalog that is an address.

            EXAMPLES:
              coursefetch check catalog.yaml
              coursefetch check                            the catalogs of the settings
              generate-catalog | coursefetch check -
              coursefetch check --schema > schema.json     for an editor that completes YAML
            """)

    @OptionGroup var catalogs: CatalogArguments

    @Flag(help: "Print the JSON Schema of the catalog format.")
    var schema = false

    @Flag(name: .customLong("no-plugins"), help: "Don't check providers and their parameters.")
    var leavesPluginsAside = false

    @OptionGroup var output: JSONOption
    @OptionGroup var plugins: PluginOptions

    func validate() throws {
        if schema, !catalogs.texts.isEmpty { throw ValidationError("--schema takes no catalogs") }
    }

    func run() async throws {
        let context = CommandContext()
        if schema {
            context.say(CatalogCheck.schema)
            return try await context.finish()
        }
        let settings = try await context.usableSettings(catalogs.texts, plugins.texts)
        let catalogs = try await context.catalogs(settings)
        let folders = leavesPluginsAside ? nil : settings.plugins.value
        let sources = CatalogSources(catalogs, state: settings.state.value, caFile: settings.caFile.value)
        let report = await CatalogCheck.run(sources, plugins: folders)
        if output.json {
            let now = Date()
            for diagnostic in report.diagnostics {
                context.output.send(CheckText.json(diagnostic, now: now), to: STDOUT_FILENO)
            }
            context.output.send(CheckText.json(report, now: now), to: STDOUT_FILENO)
        } else {
            for diagnostic in report.diagnostics { context.complain(diagnostic.text) }
            context.say(CheckText.summary(report))
        }
        throw await context.exit(ExitStatus(report.conditions))
    }
}
