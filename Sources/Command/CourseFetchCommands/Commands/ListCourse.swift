import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import Logging
import Operations
import SyncFacts
import Terminal

struct ListCourse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show what a provider lists of a course.",
        usage: "coursefetch list [<catalog> ...] <course> [<options>]",
        discussion: """
            Asks the provider of a course with discover, and shows what the next sync would make of each video: new, \
            renamed, left out by include, exclude or newest, or gone. Changes nothing.

            EXAMPLES:
              coursefetch list catalog.yaml phys101
              coursefetch list phys101                     in the catalogs of the settings
              coursefetch list catalog.yaml phys101 --json
            """)

    @Argument(
        help: ArgumentHelp(
            "The course's id. Before it the catalogs: files, - for standard input, or addresses.",
            valueName: "catalog> ... <course"),
        completion: .file(extensions: ["yaml", "yml"]))
    var words: [String]

    @Flag(help: "Print one JSON object per video.")
    var json = false

    @Flag(name: [.short, .long], help: "Print debug messages.")
    var verbose = false

    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws { try CatalogArguments.check(Array(words.dropLast())) }

    func run() async throws {
        let context = CommandContext()
        let given = words.count > 1 ? ["catalogs": Array(words.dropLast())] : [:]
        let settings = try await context.usableSettings(
            given, place.texts, plugins.texts, helpers.texts, verbose ? ["verbose": ["true"]] : [:])
        let catalogs = try await context.catalogs(settings)
        let logger = Logger(label: "coursefetch") { _ in
            LineLogHandler(level: settings.logLevel, sink: context.complain)
        }
        let result = try await context.orRefuse { () throws(Refusal) in
            try await ListingProbe.run(
                catalogs: catalogs, course: words.last ?? "", user: settings.user.value, state: settings.state.value,
                plugins: settings.plugins.value, caFile: settings.caFile.value, helpers: settings.credentialHelpers,
                maxDelete: settings.maxDelete.value, logger: logger)
        }
        switch result {
        case .success(let report):
            let text = ListingText(zone: context.zone)
            if json {
                for item in report.items { context.output.send(text.json(item), to: STDOUT_FILENO) }
            } else {
                text.lines(report).forEach(context.say)
            }
            try await context.finish()
        case .failure(let error):
            context.complain("error: \(ResolveText.reason(error))")
            throw await context.exit(ExitStatus([ResolveText.condition(error)]))
        }
    }
}
