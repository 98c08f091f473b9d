import ArgumentParser
import CommandOutput
import DownloadRunner
import YAMLSource

/// `coursefetch check`.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look for mistakes in catalogs.",
        usage: "coursefetch check <catalog> ... [<options>]",
        discussion: """
            Reads the catalogs and everything they include, and names every mistake with file, line and column. Asks no \
            network and opens no state.

            EXAMPLES:
              coursefetch check catalog.yaml
              coursefetch check --schema > schema.json     for an editor that completes YAML
            """)

    @Argument(
        help: ArgumentHelp("Catalog files.", valueName: "catalog"), completion: .file(extensions: ["yaml", "yml"]))
    var catalogs: [String] = []

    @Flag(help: "Print the JSON Schema of the catalog format.")
    var schema = false

    @Flag(name: .customLong("no-plugins"), help: "Leave providers and their parameters aside.")
    var leavesPluginsAside = false

    @OptionGroup var plugins: PluginOptions

    func validate() throws {
        if schema, !catalogs.isEmpty { throw ValidationError("--schema takes no catalogs") }
        try CatalogArgument.check(catalogs)
        if !schema, catalogs.isEmpty { throw ValidationError("name at least one catalog, or --schema") }
    }

    func run() async throws {
        let context = CommandContext()
        if schema {
            context.say(CatalogCheck.schema)
            return try await context.finish()
        }
        let settings = try await context.usableSettings(plugins.texts)
        let folders = leavesPluginsAside ? nil : settings.plugins.value
        let report = await CatalogCheck.run(catalogs, plugins: folders)
        for diagnostic in report.diagnostics { context.complain(diagnostic.text) }
        context.say(CheckText.summary(report))
        throw await context.exit(ExitStatus(report.conditions))
    }
}
