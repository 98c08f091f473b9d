import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import Logging
import Operations
import SyncFacts
import Terminal

struct Resolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Show a provider's answer for a video.",
        usage: "coursefetch resolve [<catalog> ...] <selector> [<options>]",
        discussion: """
            Asks the provider of each selected video as a sync does, and downloads nothing. Tokens and the queries of \
            URLs are hidden without --show-secrets.

            EXAMPLES:
              coursefetch resolve catalog.yaml phys101/kinematics/intro
              coursefetch resolve catalog.yaml 'phys101/*/intro' --show-secrets
              coursefetch resolve phys101                  in the catalogs of the settings
            """)

    @Argument(
        help: ArgumentHelp(
            "Which videos: \(SelectorSyntax.forms). Before it the catalogs: files, - for standard input, or addresses.",
            valueName: "catalog> ... <selector"),
        completion: .file(extensions: ["yaml", "yml"]))
    var words: [String]

    @Flag(help: "Show tokens, and URLs with their queries.")
    var showSecrets = false

    @Flag(help: "Print one JSON object per video.")
    var json = false

    @Flag(name: [.short, .long], help: "Print debug messages.")
    var verbose = false

    @Flag(
        name: .customLong("vv", withSingleDash: true),
        help: "Tell that, and every request to a plugin with its answer, without secrets.")
    var trace = false

    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws { try CatalogArguments.check(Array(words.dropLast())) }

    func run() async throws {
        let context = CommandContext()
        let given = words.count > 1 ? ["catalogs": Array(words.dropLast())] : [:]
        let settings = try await context.usableSettings(
            given, place.texts, plugins.texts, helpers.texts, verbose ? ["verbose": ["true"]] : [:])
        let selector: Selector
        do throws(SelectorError) {
            selector = try Selector(words.last ?? "")
        } catch {
            throw await context.refuse(.usage, SelectorSyntax.message(error))
        }
        let catalogs = try await context.catalogs(settings)
        let level = trace ? .trace : settings.logLevel
        let logger = Logger(label: "coursefetch") { _ in LineLogHandler(level: level, sink: context.complain) }
        let answers = try await context.orRefuse { () throws(Refusal) in
            try await ResolveProbe.run(
                catalogs: catalogs, selection: Selection(selectors: [selector]), user: settings.user.value,
                state: settings.state.value, plugins: settings.plugins.value, caFile: settings.caFile.value,
                helpers: settings.credentialHelpers, logger: logger)
        }
        let text = ResolveText(showsSecrets: showSecrets, now: Date(), zone: context.zone)
        var conditions: Set<SyncCondition> = []
        for answer in answers {
            switch answer.result {
            case .success(let answer) where json: context.output.send(text.json(answer), to: STDOUT_FILENO)
            case .success(let answer): text.lines(answer).forEach(context.say)
            case .failure(let error):
                conditions.insert(ResolveText.condition(error))
                context.complain(
                    ResolveText.failure(answer.reference, error, provider: answer.provider))
            }
        }
        throw await context.exit(ExitStatus(conditions))
    }
}
