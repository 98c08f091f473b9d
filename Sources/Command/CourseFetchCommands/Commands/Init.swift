import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import Logging
import Operations
import RunAccess
import SyncFacts
import Terminal

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a first catalog, and settings that name it.",
        usage: "coursefetch init [--source <address>] [--title <title>] [<options>]",
        discussion: """
            Asks three questions on the terminal, each of which an option answers, and the installed providers what \
            is at the address. Writes both files or none, and never over a file that is there. Further addresses \
            are added with: coursefetch add ADDRESS

            EXAMPLES:
              coursefetch init
              coursefetch init --source https://example.org/lectures/optics/
              coursefetch init --title Optics --source https://example.org/optics/1.mp4
              coursefetch init --source https://example.org/feed.xml --catalog ~/talks.yaml
            """)

    @Option(
        help: ArgumentHelp(
            "The address of a folder, feed, playlist or video, or a provider's name.", valueName: "address"))
    var source: String?

    @Option(help: ArgumentHelp("The course's title (default: the provider's).", valueName: "title"))
    var title: String?

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
        let answers = try await answers(context, standardLibrary: standard, file: file)
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
        _ context: CommandContext, standardLibrary: String, file: String
    ) async throws -> (first: FirstCatalog, library: String) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        if !isTerminal, source == nil {
            throw await context.refuse(.usage, "there is no terminal to ask on; give --source")
        }
        func answer(
            _ given: String?, _ question: FirstFilesText.Question, _ standard: String
        ) async throws -> String {
            if let given { return given }
            guard isTerminal else { return standard }
            guard let text = context.ask(FirstFilesText.question(question, standard: standard)) else {
                throw await context.refuse(.usage, "not all questions were answered; nothing was written")
            }
            return text.isEmpty ? standard : text
        }
        let source = try await answer(source, .source, "")
        guard !source.isEmpty else {
            throw await context.refuse(
                .usage, "without an address or a provider there is nothing to fetch from; nothing was written")
        }
        let found = try await found(source, file, context)
        let title = try await answer(title, .title, found?.title ?? "My Course")
        let first = try await first(title, at: source, found: found, context)
        let library = try await answer(library, .library, standardLibrary)
        return (first, Self.absolute(library, context))
    }

    /// What a provider knows of the address; nil for a provider's name, and for the address of a file that can't be
    /// asked for now.
    private func found(_ source: String, _ file: String, _ context: CommandContext) async throws -> AddedCourse? {
        guard case .web = CatalogAddress(source), !source.contains("{id}") else { return nil }
        let settings = try await context.settings()
        let logger = Logger(label: "coursefetch") { _ in
            LineLogHandler(level: settings.logLevel, sink: context.complain)
        }
        let addition = CatalogAddition(address: source, title: title, file: file)
        let result: Result<AddedCourse, DownloadError>
        do throws(Refusal) {
            result = try await addition.run(
                writes: false, user: settings.user.value, state: settings.state.value,
                plugins: settings.plugins.value, caFile: settings.caFile.value, helpers: settings.credentialHelpers,
                logger: logger)
        } catch {
            if case .catalog(.unrecognised) = error, FirstCatalog.isMedia(source) { return nil }
            throw await context.refuse(ExitStatus([error.condition]), "\(error.message)\nnothing was written")
        }
        switch result {
        case .success(let added): return added
        case .failure(let error):
            context.complain("error: \(ResolveText.reason(error)); nothing was written")
            throw await context.exit(ExitStatus([ResolveText.condition(error)]))
        }
    }

    private func first(
        _ title: String, at source: String, found: AddedCourse?, _ context: CommandContext
    ) async throws -> FirstCatalog {
        let written = FirstCatalog(title: title, source: source)
        // Of files at addresses it shows how others are added.
        if let found, found.provider != "direct" || written == nil { return FirstCatalog(found.titled(title)) }
        guard let written else {
            throw await context.refuse(
                .usage,
                """
                \(source) is no address: give one that begins with http:// or https://, or has {id} in the place of \
                each video's id; nothing was written
                """)
        }
        let folders = try await context.settings().plugins.value
        if let problem = PluginSummary.missing(written.provider, folders) {
            throw await context.refuse(.usage, "\(problem.message); nothing was written")
        }
        let required = written.address == nil ? PluginSummary.required(of: written.provider, folders) : []
        guard required.isEmpty else {
            let words = required.map { "\($0)=…" }.joined(separator: " ")
            throw await context.refuse(
                .usage,
                """
                provider '\(written.provider)' needs to know more than its name: give the address of what to download, \
                or see: coursefetch catalog from \(written.provider) \(words); nothing was written
                """)
        }
        return written
    }

    /// Absolute, since relative paths in the settings begin at their file.
    private static func absolute(_ path: String, _ context: CommandContext) -> String {
        path.hasPrefix("~") ? path : URL(fileURLWithPath: path).path
    }
}
