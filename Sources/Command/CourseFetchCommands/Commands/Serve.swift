import ArgumentParser
import CommandOutput
import CourseCatalog
import Foundation
import Operations
import RunAccess
import SyncFacts
import Terminal

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show the library, and what runs, in a browser.",
        usage: "coursefetch serve [--port <number>] [--open] [<options>]",
        discussion: """
            Starts a web server on this machine and prints its address, with a token, as the first line. Whoever has \
            the address can watch, search, and steer downloads. It serves until Ctrl-C. A port, a path below a domain, \
            names, and proxies that log users in are set below serve in the settings file.

            EXAMPLES:
              coursefetch serve --open
              coursefetch serve --port 0
            """)

    @Option(help: ArgumentHelp("The port to listen at; 0 for any (default: 8080).", valueName: "number"))
    var port: Int?

    @Flag(help: "Open the page in the browser.")
    var open = false

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func validate() throws {
        if let port, !(0...65535).contains(port) { throw ValidationError("--port is a number from 0 to 65535") }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let location = try settings.location(of: all)
        // A mistake in the places is reported here, and a user who isn't known.
        try await context.orRefuse { () throws(Refusal) in try location.resolve().requireKnown() }
        guard let program = Self.server else {
            throw await context.refuse(.usage, ServeCommandText.notInstalled)
        }
        var options = ServeOptions(settings.serve, location)
        options.port = port ?? settings.serve.port ?? options.port
        options.program = Self.ownPath
        options.opens = open
        let argument = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        await context.output.flush()
        throw await context.refuse(.usage, ServeCommandText.notStarted(program, Self.become(program, argument)))
    }

    private static var ownPath: String { Bundle.main.executablePath ?? CommandLine.arguments.first ?? "coursefetch" }

    /// The server's program: beside this one, or in `lib/coursefetch` of the same prefix; nil if there is none.
    private static var server: String? {
        let folder = URL(filePath: ownPath).resolvingSymlinksInPath().deletingLastPathComponent()
        let places = [folder, folder.deletingLastPathComponent().appending(path: "lib/coursefetch")]
        return places.map { $0.appending(path: "coursefetch-serve").path }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// This process becomes the server; returns the error number if it can't.
    private static func become(_ program: String, _ argument: String) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(argument), nil]
        execv(program, &arguments)
        return errno
    }
}

extension ServeOptions {
    fileprivate init(_ settings: ServeSettings, _ location: StateLocation) {
        self.init()
        user = location.user
        state = location.state
        localState = location.localState
        library = location.library
        shard = location.shard?.text
        takesAllShards = location.takesAllShards
        address = settings.address ?? address
        base = settings.base ?? base
        hosts = settings.hosts
        proxies = settings.proxies
        userHeader = settings.userHeader ?? userHeader
    }
}
