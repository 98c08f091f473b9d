import ArgumentParser
import CommandOutput
import Foundation
import Operations
import RunAccess
import SyncFacts
import Terminal

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this computer for problems that would make a sync fail.",
        usage: "coursefetch doctor [<options>]",
        discussion: """
            Checks state, library, disks, permissions, certificates and plugins (it starts each of them), and lists \
            every setting with its origin. Changes nothing without --clean. Ends with 1 if it finds a problem; with \
            warnings only it ends with 0.

            EXAMPLES:
              coursefetch doctor
              coursefetch doctor --clean
              coursefetch doctor --clock-url https://media.example.org/
              coursefetch doctor --json | jq 'select(.severity == "problem")'
            """)

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption
    @OptionGroup(title: "PLACES") var plugins: PluginOptions

    @Flag(help: "Remove partial files that aren't needed any more, and files that an interrupted move left.")
    var clean = false

    @Option(
        help: ArgumentHelp(
            "Compare the clock with this server's, with one request that sends no data.", valueName: "url"))
    var clockUrl: String?

    @Flag(help: "Print one JSON object per finding.")
    var json = false

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts, plugins.texts)
        var location = try settings.location(of: all)
        // What is wrong with the variable says any command about a shard.
        location.shardProblem = nil
        var options = DiagnosisOptions(location: location)
        options.plugins = settings.plugins.value
        options.caFile = settings.caFile.value
        options.ffmpeg = settings.ffmpeg.value
        options.minFreeSpace = settings.minFreeSpace.value
        options.clockURL = clockUrl
        options.clean = clean
        let diagnosis = try await context.orRefuse { () throws(Refusal) in try await Diagnosis.run(options) }
        let status = ExitStatus(diagnosis.conditions)
        let places = try await context.orRefuse { () throws(Refusal) in try settings.location.effective() }
        let onTerminal = isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1
        let rows = EffectiveSettings.rows(settings, places: places, onTerminal: onTerminal).map { row in
            SettingInEffect(name: row.name, value: row.value, origin: row.origin.description)
        }
        if json {
            let now = Date()
            for fact in diagnosis.facts {
                context.output.send(DoctorJSON.line(fact, now: now, zone: context.zone), to: STDOUT_FILENO)
            }
            for row in rows { context.output.send(DoctorJSON.line(row, now: now), to: STDOUT_FILENO) }
            context.output.send(DoctorJSON.summary(diagnosis, exit: status, now: now), to: STDOUT_FILENO)
        } else {
            let text = DoctorText(style: context.style(of: STDOUT_FILENO), zone: context.zone, now: Date())
            text.lines(diagnosis, settings: rows, files: settingsFiles(settings, context)).forEach(context.say)
        }
        if let refusal = diagnosis.refusal {
            throw await context.refuse(status, "nothing was removed: \(refusal.message)")
        }
        try await context.finish()
        if status != .success { throw await context.exit(status) }
    }

    /// The account's settings file, and that of the user, if it exists or somebody asks for a user.
    private func settingsFiles(
        _ settings: SyncSettings, _ context: CommandContext
    ) -> [(path: String, exists: Bool)] {
        let name = settings.location.userName
        let paths = [
            SettingsFile.path(environment: context.environment),
            name.flatMap { SettingsFile.path(ofUser: $0, environment: context.environment) },
        ]
        let files = paths.compactMap(\.self).map { path in
            (path: path, exists: FileManager.default.fileExists(atPath: path))
        }
        return files.enumerated().filter { $0 == 0 || $1.exists || settings.user.origin != .standard }.map(\.element)
    }
}
