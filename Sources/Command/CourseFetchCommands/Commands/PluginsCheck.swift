import ArgumentParser
import CommandOutput
import Foundation
import Operations
import Terminal

struct PluginsCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a plugin does what the protocol says.",
        usage: "coursefetch plugins check <folder> [options]",
        discussion: """
            Runs the plugin in FOLDER and sends it every request that a sync may send: with odd ids, many at once, \
            with another clock. Prints a line for each check. For a failed check it prints the request, the answer, \
            and the sentence of docs/protocol.md that the plugin violates.

            The videos come from the plugin's fixtures/, or from a course with the given --parameter. Without \
            either, the check asks for made-up videos; the answers may be errors.

            Fixtures are a folder with fixture.yaml and recorded HTTP exchanges. A server on 127.0.0.1 replays them, \
            and its address replaces the parameter 'endpoint'. --record makes such a folder from the real host, \
            without secrets and personal data, and then checks with it. See docs/writing-a-provider.md.

            Without fixtures a real 'endpoint' gets about a hundred requests, five a second. On a terminal the check \
            asks first; elsewhere it needs --real-host. Made-up secrets aren't sent to log in there.

            EXAMPLES:
              coursefetch plugins check ./my-provider
              coursefetch plugins check ./my-provider --parameter host=video.example.org
              coursefetch plugins check ./my-provider --fixtures ./recorded
              coursefetch plugins check ./my-provider --json
            """)

    @Argument(help: "The plugin's folder.", completion: .directory)
    var folder: String

    @Option(
        name: [.long, .customShort("p")], parsing: .singleValue,
        help: ArgumentHelp("A parameter of the course; can be repeated.", valueName: "key=value"))
    var parameter: [String] = []

    @Option(
        help: ArgumentHelp("Folder of fixtures (default: fixtures/ in the plugin's folder).", valueName: "folder"),
        completion: .directory)
    var fixtures: String?

    @Option(
        help: ArgumentHelp(
            "Record fixtures of the real host into a new folder, then check with them.", valueName: "folder"),
        completion: .directory)
    var record: String?

    @Flag(help: "Ask the real host of the parameter 'endpoint' without a question.")
    var realHost = false

    @Flag(help: "Send no login and no made-up credentials.")
    var skipLogin = false

    @Flag(name: [.long, .customShort("v")], help: "Show what the plugin wrote to stderr with each failure.")
    var verbose = false

    @OptionGroup var output: JSONOption

    func run() async throws {
        let context = CommandContext()
        var check = PluginConformance(folder: folder)
        check.leavesOutLogins = skipLogin
        check.parameters = parameter
        check.fixtures = fixtures
        check.record = record
        if !realHost, let host = check.realHost { try await ask(host, in: context) }
        let text = PluginCheckText(style: context.style(of: STDOUT_FILENO), showsStderr: verbose)
        let json = output.json
        let report = try await PluginsProblem.refused(in: context) { () throws(PluginsProblem) in
            try await check.run { result in
                if json {
                    context.output.send(PluginCheckText.json(result, now: Date()), to: STDOUT_FILENO)
                } else {
                    context.say(text.line(result))
                }
            } recorded: { outcome in
                if json {
                    context.output.send(RecordingText.json(outcome, now: Date()), to: STDOUT_FILENO)
                } else {
                    RecordingText.lines(outcome).forEach(context.say)
                }
            }
        }
        if json {
            context.output.send(PluginCheckText.json(report, now: Date()), to: STDOUT_FILENO)
        } else {
            text.ending(report).forEach(context.say)
        }
        throw await context.exit(ExitStatus(report))
    }

    /// Asks whether a host over the network may be asked again and again.
    private func ask(_ host: String, in context: CommandContext) async throws {
        let problem = PluginsProblem.realHost(host)
        guard isatty(STDIN_FILENO) == 1 else { throw await context.refuse(ExitStatus(problem), problem.message) }
        guard context.confirm("Send about a hundred requests to \(host), five a second?") else {
            throw await context.exit(.usage)
        }
    }
}

extension PluginsProblem {
    /// The result of `body`; if a problem prevents it, prints the reason and ends with its exit code.
    static func refused<Value>(
        in context: CommandContext, _ body: () async throws(PluginsProblem) -> Value
    ) async throws -> Value {
        do throws(PluginsProblem) {
            return try await body()
        } catch {
            throw await context.refuse(ExitStatus(error), error.message)
        }
    }
}
