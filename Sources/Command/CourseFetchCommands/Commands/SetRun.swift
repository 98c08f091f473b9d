import ArgumentParser
import CommandOutput
import Foundation
import RunAccess
import SyncFacts
import Terminal

struct SetRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the running sync.",
        usage: "coursefetch set [--jobs <n>] [--limit-rate <rate>] [--bwlimit <rate>]",
        discussion: """
            Applies to that run only. With fewer --jobs, the active downloads with the lowest priority wait and keep \
            their bytes.

            EXAMPLES:
              coursefetch set --bwlimit 2M
              coursefetch set --limit-rate off --jobs 8
            """)

    @Option(name: [.short, .long], help: ArgumentHelp("Downloads at the same time.", valueName: "n|auto"))
    var jobs: String?

    @Option(help: ArgumentHelp("Bytes a second for each download, such as 2M; off for no limit.", valueName: "rate"))
    var limitRate: String?

    @Option(
        help: ArgumentHelp(
            "Bytes a second for the whole run, such as 10M, a timetable, or off for no limit.", valueName: "rate"))
    var bwlimit: String?

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions

    func validate() throws {
        guard jobs != nil || limitRate != nil || bwlimit != nil else {
            throw ValidationError("give at least one of --jobs, --limit-rate and --bwlimit")
        }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        // Read by the same rules as for sync; settings that aren't given stay unchanged.
        let given = ["jobs": jobs, "limit-rate": limitRate, "bwlimit": bwlimit].compactMapValues { $0.map { [$0] } }
        let values = try await context.settings(given)
        var change = RunSettings()
        if jobs != nil {
            change.jobs = values.jobs.value.first
            change.jobsAuto = values.jobs.value == .automatic
        }
        if limitRate != nil { change.limitRate = values.limitRate.value ?? 0 }
        if bwlimit != nil { change.bandwidth = values.bwlimit.value.description }
        let location = settings.shardLocation
        let settled = change
        try await context.orRefuse { () throws(Refusal) in try await settled.apply(at: location) }
        if output.json {
            context.output.send(SteeringText.json(settled, now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(SteeringText.line(settled))
        }
        try await context.finish()
    }
}
