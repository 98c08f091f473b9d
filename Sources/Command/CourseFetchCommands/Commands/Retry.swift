import ArgumentParser
import CommandOutput
import DownloadStore
import Operations
import RunAccess
import SyncFacts

struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try failed or cancelled downloads again, or download finished ones again.",
        usage: "coursefetch retry <selector> ... [<options>]",
        discussion: """
            If only subtitles or attachments of a finished video are missing, retry downloads only those. Otherwise it \
            downloads the video again and keeps the present file until the new one is complete. The running sync \
            begins at once; without one, the next sync does. With --now, a sync of the settings' catalogs, \
            or of those of earlier syncs, starts now; it retries failed downloads where nothing is selected.

            EXAMPLES:
              coursefetch retry --failed
              coursefetch retry --now                   all that failed, at once
              coursefetch retry phys101/kinematics/intro
            """)

    @OptionGroup var picks: SelectionOptions

    @Flag(help: "Start a sync of the catalogs in the settings, unless one is running.")
    var now = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption
    @OptionGroup(title: "PLACES") var plugins: PluginOptions

    func validate() throws {
        if now, all.allShards { throw ValidationError("--now and --all-shards can't be used together") }
    }

    func run() async throws {
        var picks = picks
        if now, picks.selection == nil { picks.failed = true }
        let session = SteeringSession(picks: picks, place: place, all: all, json: output.json)
        guard now else {
            _ = try await session.steer(.retry)
            return
        }
        let context = CommandContext()
        let settings = try await context.usableSettings(place.texts, plugins.texts)
        // Before anything changes.
        let known = try await context.orRefuse { () throws(Refusal) in try KnownCatalogs.read(settings.shardLocation) }
        let catalogs = settings.catalogs.value.isEmpty && !known.isEmpty ? known : try await context.catalogs(settings)
        guard try await !session.steer(.retry, startsSync: true).isLive else { return }
        let status = await SyncSession(settings: settings, catalogs: catalogs, context: context).run()
        if status != .success { throw await context.exit(status) }
    }
}
