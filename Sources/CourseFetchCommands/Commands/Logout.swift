import ArgumentParser
import CommandOutput
import Operations
import SyncFacts

/// `coursefetch logout`.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End a user's session: everything stops, and credentials are wiped.",
        usage: "coursefetch logout [--provider <name>] [<options>]",
        discussion: """
            Every sync of the user suspends its downloads and keeps what has arrived; logout returns when nothing is \
            transferring any more, or says after 5 s which process still is (75). No sync starts until the next login; that \
            one goes on from the very byte. What you paused yourself stays paused.

            EXAMPLES:
              coursefetch logout
              coursefetch logout --user bob
              coursefetch logout --keep-credentials     end the session only
              coursefetch logout --provider peertube    forget this provider only
            """)

    @Option(
        help: ArgumentHelp("Forget this provider alone; the session stays.", valueName: "name"),
        completion: .providers)
    var provider: String?

    @Flag(help: "Leave the credentials of providers stored.")
    var keepCredentials = false

    @OptionGroup(title: "PLACES") var place: PlaceOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws {
        if keepCredentials, provider != nil {
            throw ValidationError("--keep-credentials and --provider contradict each other")
        }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts, plugins.texts, helpers.texts)
        let report = try await context.orRefuse { () throws(Refusal) in
            if let provider { return try await UserLogout.run(settings.location, provider: provider) }
            return try await UserLogout.run(settings.location, keepsCredentials: keepCredentials)
        }
        if let provider, settings.credentialHelpers[provider] != nil {
            try await context.orRefuse { () throws(Refusal) in
                try await ProviderLogin(
                    provider, plugins: settings.plugins.value, helpers: settings.credentialHelpers
                ).eraseKept(settings.location)
            }
        }
        context.say(SessionText.loggedOut(report))
        try await context.finish()
    }
}
