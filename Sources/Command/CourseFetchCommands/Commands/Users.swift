import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct Users: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List the users of this account.",
        discussion: """
            Shows who is logged in and since when, which providers have stored credentials, each user's library, the \
            number of videos in it, the running sync, and the shards with a state on this machine. Credentials are \
            never shown.

            EXAMPLES:
              coursefetch users
              coursefetch users --json | jq -r 'select(.logged_in) | .user'
            """)

    @Flag(help: "Print one JSON object per user.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Folder that the state lives in (default: ~/.local/state/coursefetch).", valueName: "folder"),
        completion: .directory)
    var state: String?

    @OptionGroup var shards: ShardStatesOption

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(state.map { ["state": [$0]] } ?? [:], shards.texts)
        let listings = try await context.orRefuse { () throws(Refusal) in try UserSummary.all(settings.location) }
        if json {
            for listing in listings { context.output.send(UsersText.json(listing), to: STDOUT_FILENO) }
        } else {
            let text = UsersText(now: Date(), zone: context.zone)
            for listing in listings { text.lines(listing).forEach(context.say) }
        }
        try await context.finish()
    }
}
