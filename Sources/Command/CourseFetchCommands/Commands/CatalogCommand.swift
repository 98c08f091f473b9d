import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import Logging
import Migration
import Operations
import SyncFacts
import Terminal

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Write catalogs.", subcommands: [CatalogFrom.self, CatalogFromStreams.self])
}

struct CatalogFrom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from",
        abstract: "Print a catalog of a course that a provider lists, or of all your courses there.",
        usage: "coursefetch catalog from <provider> [<key>=<value> ...] [<options>]",
        discussion: """
            Asks the provider with these parameters, and prints a catalog whose course lists itself at each sync. With \
            --expand it has all of its videos instead, so that you can edit them; later ones aren't added then.

            If no course is among the parameters, and the provider can list the courses that you have there, the \
            catalog has all of them.

            EXAMPLES:
              coursefetch catalog from feed endpoint=https://example.org/feed
              coursefetch catalog from index endpoint=https://example.org/phys/ --expand
              coursefetch catalog from index endpoint=https://example.org/ --courses
              coursefetch catalog from feed endpoint=https://example.org/feed --json
            """)

    @Argument(help: ArgumentHelp("The provider's name.", valueName: "provider"), completion: .providers)
    var provider: String

    @Argument(help: ArgumentHelp("Its parameters, such as endpoint=https://example.org/.", valueName: "key=value"))
    var parameters: [String] = []

    @Option(help: ArgumentHelp("The course's id (default: made of its title).", valueName: "id"))
    var id: String?

    @Flag(help: "Print all videos instead of discover: true.")
    var expand = false

    @Flag(help: "Print your courses at the provider, whatever the parameters say.")
    var courses = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws {
        if let wrong = parameters.first(where: { Login.pair($0) == nil }) {
            throw ValidationError("\(wrong): write KEY=VALUE")
        }
        if let id, id.isEmpty || id.utf8.count > 1024 { throw ValidationError("--id: an id has 1 to 1024 bytes") }
        if courses, expand || id != nil { throw ValidationError("--courses goes with neither --expand nor --id") }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.usableSettings(place.texts, plugins.texts, helpers.texts)
        let logger = Logger(label: "coursefetch") { _ in
            LineLogHandler(level: settings.logLevel, sink: context.complain)
        }
        let pairs = Dictionary(parameters.compactMap(Login.pair).map { ($0.key, $0.value) }) { $1 }
        let result = try await context.orRefuse { () throws(Refusal) in
            try await CatalogFromProvider.text(
                provider: provider, parameters: pairs, id: id, expands: expand, asksCourses: courses,
                user: settings.user.value, state: settings.state.value, plugins: settings.plugins.value,
                caFile: settings.caFile.value,
                helpers: settings.credentialHelpers, logger: logger)
        }
        switch result {
        case .success(let written):
            for refused in written.refused { context.complain("warning: \(ListingText.sentence(refused))") }
            let bytes = output.json ? ListingText.json(written, now: Date()) : Array(written.text.utf8)
            context.output.send(bytes, to: STDOUT_FILENO)
            try await context.finish()
        case .failure(let error):
            context.complain("error: \(ResolveText.reason(error))")
            throw await context.exit(ExitStatus([ResolveText.condition(error)]))
        }
    }
}

struct CatalogFromStreams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from-streams",
        abstract: "Print a catalog of the streams that an app lists.",
        usage: "coursefetch catalog from-streams <source>",
        discussion: """
            Reads a Streams.plist, or the folder that has it, with the name and the playlist of each stream. Packages \
            that the app has downloaded are taken over with: coursefetch migrate hlscatalog

            EXAMPLES:
              coursefetch catalog from-streams ~/old/Streams.plist > streams.yaml
            """)

    @Argument(
        help: ArgumentHelp("A Streams.plist, or its folder.", valueName: "source"),
        completion: .file(extensions: ["plist"]))
    var source: String

    func validate() throws {
        if source.isEmpty { throw ValidationError("the source is empty") }
    }

    func run() async throws {
        let context = CommandContext()
        let streams: (text: String, leftOut: Int)
        do throws(MigrationProblem) {
            streams = try StreamCatalog.text(ofListAt: source)
        } catch {
            throw await context.refuse(ExitStatus([error.condition]), error.message)
        }
        context.output.send(Array(streams.text.utf8), to: STDOUT_FILENO)
        if streams.leftOut > 0 {
            let what = "\(streams.leftOut) of the streams left out"
            context.complain("warning: \(what): each needs a name and a playlist_url")
        }
        try await context.finish()
    }
}
