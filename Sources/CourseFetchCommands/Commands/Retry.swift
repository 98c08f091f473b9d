import ArgumentParser
import CommandOutput
import DownloadRunner
import DownloadStore

/// `coursefetch retry`.
struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try failed or cancelled downloads again, and fetch finished ones anew.",
        usage: "coursefetch retry <selector> ... [<options>]",
        discussion: """
            Where a finished video lacks only what belongs beside it, that is tried again, and the video is left alone. Else \
            a finished file stays until the new one is complete. A running sync begins at once; without one the next sync \
            does, or with --now a sync of the settings' catalogs that starts right away.

            EXAMPLES:
              coursefetch retry --failed
              coursefetch retry --failed --now
              coursefetch retry phys101/kinematics/intro
            """)

    @OptionGroup var picks: SelectionOptions

    @Flag(help: "Start a sync of the catalogs in the settings, unless one is running.")
    var now = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    func run() async throws {
        let session = SteeringSession(picks: picks, place: place, json: output.json)
        guard now else {
            _ = try await session.steer(.retry)
            return
        }
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        // Before anything is changed.
        let catalogs = try await context.catalogs(settings)
        guard try await !session.steer(.retry, startsSync: true).isLive else { return }
        let status = await SyncSession(settings: settings, catalogs: catalogs, context: context).run()
        if status != .success { throw await context.exit(status) }
    }
}
