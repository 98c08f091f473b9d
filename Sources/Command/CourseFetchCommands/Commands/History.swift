import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what the last syncs did, and why they ended.",
        usage: "coursefetch history [--limit <number>] [--json] [<options>]",
        discussion: """
            Prints one line a sync, the newest last: when it began, how long it took, how many videos were new, \
            finished and failed in it, what it received, the size of the videos' files when it ended, and its exit \
            code. The hosts where videos failed follow. A sync that was refused before it began isn't recorded: \
            logged out, outside of --between, a mistake in a catalog or a setting. With --watch each pass is a sync.

            EXAMPLES:
              coursefetch history
              coursefetch history --limit 7
              coursefetch history --limit 0 --json | jq -r 'select(.exit != 0) | .started'
            """)

    @Option(name: .shortAndLong, help: ArgumentHelp("The newest ones only; 0 for all.", valueName: "number"))
    var limit = 30

    @Flag(help: "Print one JSON object per sync.")
    var json = false

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit can't be negative") }
    }

    func run() async throws {
        let context = CommandContext()
        let location = try await context.settings(place.texts).location(of: all)
        let (runs, leftOut) = try await context.orRefuse { () throws(Refusal) in
            try PastRuns.read(location, limit: limit == 0 ? nil : limit)
        }
        if json {
            for run in runs { context.output.send(HistoryText.json(run), to: STDOUT_FILENO) }
        } else {
            HistoryText(now: Date(), zone: context.zone).lines(runs).forEach(context.say)
        }
        try await context.finish(leavingOut: leftOut, json: json)
    }
}
