import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import Logging
import Operations
import RunAccess
import SyncFacts
import Terminal

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add what is at an address to a catalog.",
        usage: "coursefetch add <address> [<options>]",
        discussion: """
            Asks the installed providers what is at the address: a folder, a feed, a share, a bucket, a playlist, or a \
            video. Shows what it is, and adds it to the catalog as a course, behind the others. All else in the file \
            stays as it is.

            EXAMPLES:
              coursefetch add https://example.org/lectures/physics/
              coursefetch add https://example.org/feed.xml --title Astronomy
              coursefetch add https://example.org/s/Kq7fT2 --catalog shared.yaml
              coursefetch add https://example.org/videos/ --dry-run
            """)

    @Argument(help: ArgumentHelp("What to add: usually a URL.", valueName: "address"))
    var address: String

    @Option(
        help: ArgumentHelp("The catalog to add it to (default: that of the settings).", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var catalog: String?

    @Option(
        help: ArgumentHelp("Ask this provider only.", valueName: "name"), completion: .providers)
    var provider: String?

    @Option(help: ArgumentHelp("The course's title (default: the provider's).", valueName: "title"))
    var title: String?

    @Option(help: ArgumentHelp("The course's id (default: made of its title).", valueName: "id"))
    var id: String?

    @Flag(name: [.customShort("n"), .long], help: "Show what would be added, and write nothing.")
    var dryRun = false

    @Flag(name: [.short, .long], help: "Print debug messages.")
    var verbose = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws {
        if let id, id.isEmpty || id.utf8.count > 1024 { throw ValidationError("--id: an id has 1 to 1024 bytes") }
        if let title, title.isEmpty || title.utf8.count > 1024 {
            throw ValidationError("--title: a title has 1 to 1024 bytes")
        }
        if let catalog, catalog.isEmpty || CatalogAddress(catalog) != .file(catalog) {
            throw ValidationError("--catalog: only a catalog in a file can be written")
        }
        if address.utf8.count > 8192 { throw ValidationError("the address is longer than 8 KiB") }
        if address.prefixMatch(of: /(?i)https?:\/\/[^\/?#]*@/) != nil {
            throw ValidationError(
                """
                the address has a user name in it: leave that out, and log in with: coursefetch login --provider NAME
                """)
        }
        guard !address.contains(":") else { return }
        throw ValidationError("\(address) isn't an address, which begins with https:// or http://")
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.usableSettings(
            place.texts, plugins.texts, helpers.texts, verbose ? ["verbose": ["true"]] : [:])
        let logger = Logger(label: "coursefetch") { _ in
            LineLogHandler(level: settings.logLevel, sink: context.complain)
        }
        let addition = CatalogAddition(
            address: address.trimmingCharacters(in: .whitespaces), provider: provider, id: id, title: title,
            file: try await file(settings, context))
        let result = try await context.orRefuse { () throws(Refusal) in
            try await addition.run(
                writes: !dryRun, user: settings.user.value, state: settings.state.value,
                plugins: settings.plugins.value, caFile: settings.caFile.value, helpers: settings.credentialHelpers,
                logger: logger)
        }
        switch result {
        case .success(let added):
            if output.json {
                context.output.send(AdditionText.json(added, isTrial: dryRun, now: Date()), to: STDOUT_FILENO)
            } else {
                AdditionText.lines(added, isTrial: dryRun, isNamed: catalog == nil).forEach(context.say)
            }
            try await context.finish()
        case .failure(let error):
            context.complain("error: \(ResolveText.reason(error))")
            throw await context.exit(ExitStatus([ResolveText.condition(error)]))
        }
    }

    /// The file to write to.
    private func file(_ settings: SyncSettings, _ context: CommandContext) async throws -> String {
        if let catalog { return Self.absolute(catalog) }
        guard !settings.catalogs.value.isEmpty else {
            let first = SuggestedCommand.text("init --source \(ShellWord.quoted(address))")
            throw await context.refuse(
                .usage, "there is no catalog yet. A first one, with this course, is made by: \(first)")
        }
        let files = settings.catalogs.value.compactMap { text -> String? in
            if case .file(let path) = CatalogAddress(text) { path } else { nil }
        }
        guard let file = files.first, files.count == 1 else {
            let what = files.isEmpty ? "no catalog in a file" : "several catalogs: \(files.joined(separator: ", "))"
            throw await context.refuse(.usage, "the settings name \(what); say which one to write: --catalog FILE")
        }
        return Self.absolute(file)
    }

    /// As the system reads paths: without `~`, and with links before `..`.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
