import ArgumentParser
import CommandOutput
import Foundation
import Logging
import Operations
import SyncFacts
import Terminal

struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Start a user's session, or log in at a provider.",
        usage: "coursefetch login [--provider <name>] [<options>]",
        discussion: """
            Your account's own user is logged in from the start; any other user needs a login first. After a logout, \
            login lets the next sync continue.

            With --provider it asks for the provider's secrets on the terminal, without echo, and stores the resulting \
            credentials in the user's credentials file (mode 600). With a credential-helper (see docs/credentials.md) \
            it asks the helper first, and the helper keeps what you type; nothing is stored here then. Downloads that \
            wait for this login continue with the next sync. Some providers ask on: for a code, or for a login in a \
            browser.

            Some take the session of a browser in which you are logged in: as a file of cookies in Netscape's format \
            (cookies.txt), which extensions of browsers export, or as the line of Cookie that the browser's developer \
            tools show of a request.

            EXAMPLES:
              coursefetch login
              coursefetch login --user bob
              coursefetch login --provider peertube
              coursefetch login --provider peertube --set host=video.example.org
              pass show peertube | coursefetch login --provider peertube --secrets-from -
              coursefetch login --provider yt-dlp --cookies cookies.txt
            """)

    @Option(help: ArgumentHelp("Log in at this provider.", valueName: "name"), completion: .providers)
    var provider: String?

    @Option(
        help: ArgumentHelp(
            """
            Read the secrets from a file, or from standard input (-): a YAML or JSON mapping with their names, or a \
            single secret alone.
            """,
            valueName: "file"),
        completion: .file())
    var secretsFrom: String?

    @Option(
        help: ArgumentHelp(
            "Log in with the cookies of a browser, in a file in Netscape's format (cookies.txt).", valueName: "file"),
        completion: .file())
    var cookies: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Tell the provider a parameter, such as which host to log in at; can be repeated.",
            valueName: "key=value"))
    var parameters: [String] = []

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions

    func validate() throws {
        if secretsFrom != nil, provider == nil {
            throw ValidationError("--secrets-from needs --provider NAME")
        }
        if cookies != nil, provider == nil {
            throw ValidationError("--cookies needs --provider NAME")
        }
        if !parameters.isEmpty, provider == nil {
            throw ValidationError("--set needs --provider NAME")
        }
        if let wrong = parameters.first(where: { Self.pair($0) == nil }) {
            throw ValidationError("--set \(wrong): write KEY=VALUE")
        }
    }

    static func pair(_ text: String) -> (key: String, value: String)? {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.usableSettings(place.texts, plugins.texts, helpers.texts)
        guard let provider else {
            let report = try await context.orRefuse { () throws(Refusal) in try await UserLogin.run(settings.location) }
            tell(
                report, SessionText.loggedIn(report, now: Date(), zone: context.zone),
                context)
            return try await context.finish()
        }
        let folders = settings.plugins.value
        let login = try await context.orRefuse { () throws(Refusal) in
            try ProviderLogin(
                provider, set: Dictionary(parameters.compactMap(Self.pair), uniquingKeysWith: { $1 }),
                plugins: folders, helpers: settings.credentialHelpers)
        }
        // Secrets given here override those of the helper.
        let kept =
            secretsFrom == nil && cookies == nil
            ? try await context.orRefuse { () throws(Refusal) in try await login.keptSecrets(settings.location) } : nil
        let secrets = try await context.orRefuse { () throws(Refusal) in
            if let kept { return try login.reading(kept) }
            let input = SecretsInput(login: login, source: secretsFrom, cookies: cookies, warn: context.complain)
            return try login.reading(try await input.read())
        }
        let logger = Logger(label: "coursefetch") { _ in LineLogHandler(level: .warning, sink: context.complain) }
        let report = try await context.orRefuse { () throws(Refusal) in
            try await UserLogin.run(
                settings.location, at: login, secrets: secrets, caFile: settings.caFile.value,
                dialog: LoginPrompt(provider: login.provider, set: parameters, output: context.output).dialog,
                logger: logger)
        }
        if login.hasHelper, kept == nil {
            try await context.orRefuse { () throws(Refusal) in try await login.keep(secrets, settings.location) }
        }
        tell(report, SessionText.loggedIn(report, now: Date(), zone: context.zone), context)
        if let trouble = report.trouble { context.complain(SessionText.trouble(trouble)) }
        try await context.finish()
    }

    private func tell(_ report: UserLogin, _ words: String, _ context: CommandContext) {
        if output.json {
            context.output.send(SessionText.json(report, now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(words)
        }
    }
}
