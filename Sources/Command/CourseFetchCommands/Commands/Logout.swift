import ArgumentParser
import CommandOutput
import Foundation
import Operations
import RunAccess
import SyncFacts
import Terminal

struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End a user's session: stop all downloads and delete credentials.",
        usage: "coursefetch logout [--provider <name>] [<options>]",
        discussion: """
            Every sync of the user stops its downloads and keeps their bytes. logout returns when all transfers have \
            stopped, or reports after 5 s which process still runs (75). No sync starts before the next login; then \
            downloads continue from where they stopped. Paused downloads stay paused. With --all-shards it waits until \
            no process on any machine writes to a shard of the library, for half a minute at most.

            EXAMPLES:
              coursefetch logout
              coursefetch logout --user bob
              coursefetch logout --keep-credentials     keep the credentials
              coursefetch logout --provider peertube    log out of this provider only
              coursefetch logout --all-shards --library /shared/courses
            """)

    @Option(
        help: ArgumentHelp("Log out of this provider only; the session stays open.", valueName: "name"),
        completion: .providers)
    var provider: String?

    @Flag(help: "Keep the credentials of providers.")
    var keepCredentials = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var shards: ShardStatesOption
    @OptionGroup(title: "PLACES") var all: AllShardsOption
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws {
        if keepCredentials, provider != nil {
            throw ValidationError("--keep-credentials and --provider can't be used together")
        }
        if all.allShards, provider != nil {
            throw ValidationError("--all-shards and --provider can't be used together")
        }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts, shards.texts, plugins.texts, helpers.texts)
        var location = settings.location
        location.takesAllShards = all.allShards
        let given = location
        let report = try await context.orRefuse { () throws(Refusal) in
            if let provider { return try await UserLogout.run(given, provider: provider) }
            return try await UserLogout.run(given, keepsCredentials: keepCredentials)
        }
        let hasHelper = provider.map { settings.credentialHelpers[$0] != nil } ?? false
        if let provider, hasHelper {
            try await context.orRefuse { () throws(Refusal) in
                try await ProviderLogin(
                    provider, plugins: settings.plugins.value, helpers: settings.credentialHelpers
                ).eraseKept(settings.location)
            }
        }
        if output.json {
            context.output.send(SessionText.json(report, now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(SessionText.loggedOut(report, hasHelper: hasHelper))
        }
        try await context.finish()
    }
}
