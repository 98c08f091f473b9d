import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct Library: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Tell coursefetch which folder is the library.",
        subcommands: [LibraryMove.self, LibraryAdopt.self])
}

struct LibraryMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Tell coursefetch where the library is after you moved it.",
        usage: "coursefetch library move <folder> [<options>]",
        discussion: """
            Moves no file. The folder must hold the library that the state knows. From then on every command looks for \
            it there, unless --library, COURSEFETCH_LIBRARY or the settings file says otherwise.

            EXAMPLES:
              mv ~/coursefetch/alice /media/videos && coursefetch library move /media/videos
            """)

    @Argument(help: ArgumentHelp("Where the library is now.", valueName: "folder"), completion: .directory)
    var folder: String

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let change = try await context.orRefuse { () throws(Refusal) in
            try await LibraryChange.move(settings.shardLocation, to: folder)
        }
        if output.json {
            context.output.send(LibraryText.json(change, "library move", now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(LibraryText.moved(change))
        }
        // An option applies to this command only.
        if settings.library.origin != .option,
            let warning = LibraryText.overruled(change, origin: settings.library.origin.description)
        {
            context.complain(warning)
        }
        try await context.finish()
    }
}

struct LibraryAdopt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Use a folder as the library, even if it is another state's or unmarked.",
        usage: "coursefetch library adopt [<options>]",
        discussion: """
            For a library that lost its mark, or that belonged to another state. Known files stay, and the next sync \
            downloads missing ones. After the state was lost or an older one was restored, --rebuild reads the \
            library's own list of files, checks each line against its file, and uses no network. The library of \
            another user is refused: --user NAME adopts it for them, --from-user NAME takes it over from them.

            EXAMPLES:
              coursefetch library adopt
              coursefetch library adopt --rebuild
              coursefetch library adopt --library /media/videos
            """)

    @Flag(help: "Rebuild the state from the list of files in the library.")
    var rebuild = false
    @Option(help: ArgumentHelp("Take the library over from this user.", valueName: "name"))
    var fromUser: String?

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let change = try await context.orRefuse { () throws(Refusal) in
            try await LibraryChange.adopt(settings.shardLocation, rebuild: rebuild, from: fromUser)
        }
        if output.json {
            context.output.send(LibraryText.json(change, "library adopt", now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(LibraryText.adopted(change))
        }
        try await context.finish()
    }
}
