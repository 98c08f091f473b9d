import ArgumentParser
import CommandOutput
import Foundation
import Operations
import RunAccess
import SyncFacts
import Terminal

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a first catalog, and settings that name it.",
        usage: "coursefetch init [--title <title>] [--source <address>] [<options>]",
        discussion: """
            Asks three questions on the terminal, each of which an option answers. Writes both files or none, and \
            never over a file that is there.

            EXAMPLES:
              coursefetch init
              coursefetch init --title Optics --source https://example.org/optics/1.mp4
              coursefetch init --title Optics --source peertube --catalog ~/optics.yaml
            """)

    @Option(help: ArgumentHelp("The course's title.", valueName: "title"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "The address of one of its videos, whose file name becomes {id}, or a provider's name.",
            valueName: "address"))
    var source: String?

    @Option(
        help: ArgumentHelp("Folder that finished media live in (default: ~/coursefetch/NAME).", valueName: "folder"))
    var library: String?

    @Option(
        help: ArgumentHelp("The catalog to write (default: catalog.yaml beside the settings).", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var catalog: String?

    @OptionGroup var output: JSONOption

    func run() async throws {
        let context = CommandContext()
        guard let settings = SettingsFile.path(environment: context.environment) else {
            throw await context.refuse(.usage, "HOME isn't set, so there is no place for settings")
        }
        let folder = (settings as NSString).deletingLastPathComponent
        let file = catalog.map { URL(fileURLWithPath: $0).path } ?? "\(folder)/catalog.yaml"
        // Before any question is asked.
        try await context.orRefuse { () throws(Refusal) in
            let taken = FirstFiles.existing([file, settings])
            if !taken.isEmpty { throw .run(.filesThere(taken)) }
        }
        let standard = try await standardLibrary(context)
        let answers = try await answers(context, standardLibrary: standard)
        let first = answers.first
        let name = catalog == nil ? "catalog.yaml" : file
        let library = answers.library == standard ? nil : answers.library
        try await context.orRefuse { () throws(Refusal) in
            try FirstFiles.write([
                .init(path: file, text: FirstFilesText.catalog(first)),
                .init(path: settings, text: FirstFilesText.settings(catalog: name, library: library)),
            ])
        }
        if output.json {
            context.output.send(
                FirstFilesText.json(first, catalog: file, settings: settings, now: Date()), to: STDOUT_FILENO)
        } else {
            FirstFilesText.made(first, catalog: file, settings: settings).forEach(context.say)
        }
        try await context.finish()
    }

    private func standardLibrary(_ context: CommandContext) async throws -> String {
        let settings = try await context.settings()
        return try await context.orRefuse { () throws(Refusal) in try settings.location.effective().library }
    }

    private func answers(
        _ context: CommandContext, standardLibrary: String
    ) async throws -> (first: FirstCatalog, library: String) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        if !isTerminal, title == nil || source == nil {
            throw await context.refuse(.usage, "there is no terminal to ask on; give --title and --source")
        }
        func answer(_ given: String?, _ question: FirstFilesText.Question, _ standard: String) -> String? {
            if let given { return given }
            guard isTerminal else { return standard }
            return context.ask(FirstFilesText.question(question, standard: standard)).map { $0.isEmpty ? standard : $0 }
        }
        let unanswered = "not all questions were answered; nothing was written"
        guard let title = answer(title, .title, "My Course"), let source = answer(source, .source, "") else {
            throw await context.refuse(.usage, unanswered)
        }
        guard !source.isEmpty else {
            throw await context.refuse(
                .usage, "without an address or a provider there is nothing to fetch from; nothing was written")
        }
        guard let first = FirstCatalog(title: title, source: source) else {
            throw await context.refuse(
                .usage,
                """
                \(source) isn't the address of a video: give one that begins with http:// or https:// and ends with \
                a file's name, or has {id} in it; nothing was written
                """)
        }
        let folders = try await context.settings().plugins.value
        if let problem = PluginSummary.missing(first.provider, folders) {
            throw await context.refuse(.usage, "\(problem.message); nothing was written")
        }
        guard let library = answer(library, .library, standardLibrary) else {
            throw await context.refuse(.usage, unanswered)
        }
        return (first, Self.absolute(library, context))
    }

    /// Absolute, since relative paths in the settings begin at their file.
    private static func absolute(_ path: String, _ context: CommandContext) -> String {
        path.hasPrefix("~") ? path : URL(fileURLWithPath: path).path
    }
}
