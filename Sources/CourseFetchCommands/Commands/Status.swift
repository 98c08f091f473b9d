import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts

/// `coursefetch status`.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what is there, what is running, and what failed and why.",
        discussion: """
            Without a selector, finished and waiting videos are counted and all others listed; with one, every video of \
            the selection is listed. Works from any terminal while a sync is running, and tells bytes, speed and time left \
            of each course, chapter and video; --watch keeps that on the screen until Ctrl-C.

            EXAMPLES:
              coursefetch status
              coursefetch status --failed
              coursefetch status --watch
              coursefetch status 'phys*/kinematics'
              coursefetch status --finished --json | jq -r .path
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    @Flag(help: "Print one JSON object a download.")
    var json = false

    @Flag(help: "Stay, and show it anew every second; on a terminal only.")
    var watch = false

    func validate() throws {
        if watch, json { throw ValidationError("--watch and --json contradict each other") }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let given = picks.selection
        if watch {
            try await StatusWatch(location: settings.location, selection: given, context: context).run()
            return
        }
        let report = try await context.orRefuse { () throws(Refusal) in try await StatusReport.read(settings.location) }
        let selection = try await context.orRefuse { () throws(Refusal) in try StatusText.settled(given, report) }
        if let refusal = StatusText.unmatched(selection, report) {
            throw await context.refuse(ExitStatus([refusal.condition]), refusal.message)
        }
        if json {
            for row in report.rows where (selection ?? Selection()).contains(row) {
                context.output.send(StatusJSON.line(row, library: report.library), to: STDOUT_FILENO)
            }
        } else {
            let width = isatty(STDOUT_FILENO) == 1 ? TerminalSize.of(descriptor: STDOUT_FILENO).columns : 100
            let table = StatusTable(style: context.style(of: STDOUT_FILENO), width: width, zone: context.zone)
            for line in table.lines(report, selection: selection, now: Date()) { context.say(line) }
        }
        try await context.finish()
    }
}
