import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what is finished, what is running, and what failed and why.",
        discussion: """
            Without a selector, status counts finished and waiting videos and lists the others; with one, it lists \
            every video of the selection. While a sync is running it shows bytes, speed and time left, from any \
            terminal; --watch updates that every second until Ctrl-C.

            EXAMPLES:
              coursefetch status
              coursefetch status --failed
              coursefetch status --watch
              coursefetch status 'phys*/kinematics'
              coursefetch status --finished --json | jq -r .path
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    @Flag(help: "Print one JSON object per video.")
    var json = false

    @Flag(help: "Update the display every second until Ctrl-C; needs a terminal.")
    var watch = false

    func validate() throws {
        if watch, json { throw ValidationError("--watch and --json can't be used together") }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let given = picks.selection
        let location = try settings.location(of: all)
        if watch {
            try await StatusWatch(location: location, selection: given, context: context).run()
            return
        }
        let width = isatty(STDOUT_FILENO) == 1 ? TerminalSize.of(descriptor: STDOUT_FILENO).columns : nil
        let form = StatusTable.Form(style: context.style(of: STDOUT_FILENO), width: width)
        let table = StatusTable(form: form, zone: context.zone)
        let leftOut = try await context.orRefuse { () throws(Refusal) in
            try await StatusReader.read(location) { reader throws(Refusal) in
                if json {
                    try reader.each(reader.settled(given ?? Selection())) { row in
                        context.output.send(StatusJSON.line(row, library: reader.facts.library), to: STDOUT_FILENO)
                    }
                } else {
                    try table.write(reader, given, now: Date()) { context.say($0) }
                }
                return reader.leftOut
            }
        }
        try await context.finish(leavingOut: leftOut, json: json)
    }
}
