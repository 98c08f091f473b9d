import ArgumentParser
import CommandOutput
import CourseCatalog
import Foundation
import Operations
import SyncFacts
import Terminal

struct Reshard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reshard",
        abstract: "Divide a library among another number of shards.",
        usage: "coursefetch reshard <number> [<options>]",
        discussion: """
            For a library that shards (sync --shard I/N) or one sync without shards have made. No sync of it may be \
            running. Each new shard gets the state, the incomplete files and the list of files of its courses: \
            nothing is downloaded again, and no file of a course is moved. From then on sync with --shard I/<number>.

            If it is killed, the library is divided as before, or completely; run it again.

            EXAMPLES:
              coursefetch reshard 8 --library /shared/courses
            """)

    @Argument(help: ArgumentHelp("The new number of shards.", valueName: "number"))
    var number: Int

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "DIVISION") var unit: ShardUnitOption
    @OptionGroup(title: "PLACES") var place: LocationOptions
    @OptionGroup(title: "PLACES") var disk: ShardStatesOption

    func validate() throws {
        guard (1...Shard.bound).contains(number) else {
            throw ValidationError("the number of shards is 1 to \(Shard.bound)")
        }
    }

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts, disk.texts, unit.texts)
        let done = try await context.orRefuse { () throws(Refusal) in
            try await Resharding.run(
                settings.location, into: number,
                by: settings.shardBy.origin == .standard ? nil : settings.shardBy.value)
        }
        if output.json {
            context.output.send(LibraryText.json(done, now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(LibraryText.resharded(done))
        }
        try await context.finish()
    }
}
