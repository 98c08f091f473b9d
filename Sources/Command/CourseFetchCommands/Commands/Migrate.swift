import ArgumentParser
import CommandOutput
import Foundation
import Migration
import MigrationSources
import RunAccess
import SyncFacts
import YAMLSource

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Take over what another downloader has.",
        usage: "coursefetch migrate <kind> <source> [--catalog <catalog> ...] [<options>]",
        discussion: """
            Finished files are checked and come into the library; the rest is listed. With --requeue the next sync \
            downloads the rest, and continues the bytes that the server confirms. The source is only read. You can \
            stop the migration at any time and run it again until nothing is left. docs/migrating.md describes each \
            kind of source.

            EXAMPLES:
              coursefetch migrate yt-dlp ~/old --write-catalog old.yaml
              coursefetch migrate aria2 ~/old --catalog phys.yaml --requeue --dry-run
              coursefetch migrate manifest list.csv --catalog phys.yaml --map names.yaml
              coursefetch migrate wget ~/old --catalog a.yaml --move --remove-source
            """)

    @Argument(
        help: ArgumentHelp("The kind of the source: \(MigrationKinds.all).", valueName: "kind"),
        completion: .list(MigrationKinds.names), transform: MigrationKinds.kind)
    var kind: SourceKind

    @Argument(
        help: ArgumentHelp("The other downloader's folder or file.", valueName: "source"),
        completion: .file())
    var source: String

    @Option(
        name: .customLong("catalog"),
        help: ArgumentHelp(
            "A catalog with its videos; can be repeated (default: catalogs in the settings).",
            valueName: "catalog"),
        completion: .file(extensions: ["yaml", "yml"]))
    var catalogs: [String] = []

    @Flag(help: "Copy finished files (default).")
    var copy = false

    @Flag(help: "Hard-link finished files instead, on the same disk; hashed only if a SHA-256 is known.")
    var link = false

    @Flag(help: "Hard-link where that is possible, otherwise copy; needs --remove-source.")
    var move = false

    @Option(
        help: ArgumentHelp("Names in the source and their videos: YAML or CSV.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "csv"]))
    var map: String?

    @Option(
        help: ArgumentHelp("Write a catalog of the videos that no catalog has.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var writeCatalog: String?

    @Option(
        help: ArgumentHelp(
            "The server of the videos in the catalog that --write-catalog writes (baijiayun).", valueName: "address"))
    var endpoint: String?

    @Flag(help: "Queue what can't be taken over; the next sync downloads it.")
    var requeue = false

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp("Let the next sync download what was queued, or pause it until resume.")
    )
    var start = true

    @Flag(
        help: ArgumentHelp(
            "Cancel videos that are in the archive but have no file, as seen (yt-dlp, gallery-dl)."))
    var seen = false

    @Flag(help: "Remove the source's files at the end, if all records are in and every file was compared.")
    var removeSource = false

    @Option(
        help: ArgumentHelp(
            "Take over only the records of this user of the other downloader (wqdownload).", valueName: "name"))
    var sourceUser: String?

    @Option(
        help: ArgumentHelp(
            "The list's name in the folder (\(MigrationKinds.listed.joined(separator: ", "))).",
            valueName: "file"))
    var list: String?

    @Flag(name: [.customShort("n"), .long], help: "Show what would happen to each record; change nothing.")
    var dryRun = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "UNATTENDED") var waiting: WaitOption

    func validate() throws {
        try CatalogArguments.check(catalogs)
        for (name, value) in [
            ("the source", source), ("--map", map), ("--write-catalog", writeCatalog), ("--source-user", sourceUser),
            ("--list", list),
        ] where value?.isEmpty == true { throw ValidationError("\(name) is empty") }
        guard [copy, link, move].count(where: \.self) <= 1 else {
            throw ValidationError("--copy, --link and --move can't be used together")
        }
        if move, !removeSource {
            throw ValidationError("--move needs --remove-source: otherwise the source would stay")
        }
        if !start, !requeue { throw ValidationError("--no-start needs --requeue: without it nothing is queued") }
        if sourceUser != nil { try MigrationKinds.check("--source-user", kind, MigrationKinds.ofUsers) }
        if seen { try MigrationKinds.check("--seen", kind, MigrationKinds.archived) }
        if list != nil { try MigrationKinds.check("--list", kind, MigrationKinds.listed) }
        if let endpoint {
            try MigrationKinds.check("--endpoint", kind, [SourceKind.baijiayun.rawValue])
            guard writeCatalog != nil else { throw ValidationError("--endpoint needs --write-catalog") }
            guard endpoint.wholeMatch(of: /https?:\/\/[^\/?#@\s]+\/?/) != nil else {
                throw ValidationError("--endpoint is the address of a server, such as https://name.at.baijiayun.com")
            }
        }
    }

    func run() async throws {
        let context = CommandContext()
        let given = catalogs.isEmpty ? [:] : ["catalogs": catalogs]
        let settings = try await context.usableSettings(given, place.texts, plugins.texts, waiting.texts)
        let catalogs = settings.catalogs.value
        guard !catalogs.isEmpty || writeCatalog != nil else {
            throw await context.refuse(
                .usage,
                """
                no catalog is named. Name one that has the source's videos (--catalog catalog.yaml), list yours in the \
                settings, or let one be written: --write-catalog old.yaml
                """)
        }
        let options = options(settings, catalogs)
        let session = MigrationSession(
            options: options, command: words(catalogs), isJSON: output.json, context: context)
        let status = try await session.run()
        if status != .success { throw await context.exit(status) }
    }

    private func options(_ settings: SyncSettings, _ catalogs: [String]) -> MigrationOptions {
        let isOnTerminal = isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1
        var options = MigrationOptions(
            kind: kind, source: source, sync: settings.options(catalogs: catalogs, onTerminal: isOnTerminal))
        options.reading = SourceOptions(user: sourceUser, list: list)
        options.method = move ? .move : link ? .link : .copy
        options.map = map
        options.writeCatalog = writeCatalog
        options.endpoint = endpoint
        options.requeues = requeue
        options.pausesQueued = !start
        options.removesSource = removeSource
        options.skipsSeen = seen
        options.isDryRun = dryRun
        return options
    }

    /// The command line, for others like it. Catalogs of the settings are named: with --write-catalog they don't count.
    private func words(_ used: [String]) -> [String] {
        let given = Array(CommandLine.arguments.dropFirst())
        return catalogs.isEmpty ? given + used.flatMap { ["--catalog", $0] } : given
    }
}

/// The kinds of sources on the command line.
enum MigrationKinds {
    static let names = SourceKind.allCases.map(\.rawValue)
    /// `manifest, yt-dlp or wget`.
    static let all = written(names)
    /// Those with several users.
    static let ofUsers = ["wqdownload"]
    /// Those with an archive of what they have fetched.
    static let archived = ["yt-dlp", "gallery-dl"]
    /// Those with a list of what they fetch.
    static let listed = ["yt-dlp", "gallery-dl", "aria2", "wget", "curl", "baijiayun"]

    /// Reads a kind.
    static func kind(_ text: String) throws -> SourceKind {
        if let kind = SourceKind(rawValue: text) { return kind }
        let meant = NearestName.suggestion(for: text, among: names).map { "; did you mean \($0)?" } ?? ""
        throw ValidationError("'\(text)' isn't a kind of source\(meant.isEmpty ? ":" : "\(meant) There are:") \(all)")
    }

    /// Refuses an option that others have.
    static func check(_ option: String, _ kind: SourceKind, _ kinds: [String]) throws {
        guard !kinds.contains(kind.rawValue) else { return }
        throw ValidationError("\(option) is for \(written(kinds)), not for \(kind.rawValue)")
    }

    private static func written(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
