import ArgumentParser
import DownloadRunner
import Foundation

/// `coursefetch status`.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what is there, what is running, and what failed and why.",
        discussion: """
            Without a selector, finished and waiting videos are counted and all others listed; with one, every video of \
            the selection is listed. Works from any terminal while a sync is running.

            EXAMPLES:
              coursefetch status
              coursefetch status --failed
              coursefetch status 'phys*/kinematics'
              coursefetch status --finished --json | jq -r .path
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    @Flag(help: "Print one JSON object a download.")
    var json = false

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let selection = picks.selection
        let report = try await context.orRefuse { () throws(Refusal) in try await StatusReport.read(settings.location) }
        if let text = StatusText.unmatched(selection, report) { throw await context.refuse(.usage, text) }
        if json {
            for row in report.rows where (selection ?? Selection()).contains(row) {
                context.output.send(StatusJSON.line(row), to: STDOUT_FILENO)
            }
        } else {
            let width = isatty(STDOUT_FILENO) == 1 ? TerminalSize.of(descriptor: STDOUT_FILENO).columns : 100
            let table = StatusTable(style: context.style(of: STDOUT_FILENO), width: width, zone: context.zone)
            for line in table.lines(report, selection: selection, now: Date()) { context.say(line) }
        }
        await context.output.flush()
    }
}
