import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a catalog file that is no longer used.",
        usage: "coursefetch forget <file> [<options>]",
        discussion: """
            Its courses count as gone: their files stay until a sync with --prune.

            EXAMPLES:
              coursefetch forget ~/catalogs/autumn.yaml
            """)

    @Argument(
        help: ArgumentHelp("The catalog file, which may have been deleted.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let forgotten = try await context.orRefuse { () throws(Refusal) in
            try await ForgottenCatalog.forget(file, at: settings.shardLocation)
        }
        if output.json {
            context.output.send(LibraryText.json(forgotten, now: Date()), to: STDOUT_FILENO)
        } else {
            context.say(LibraryText.forgotten(forgotten))
        }
        try await context.finish()
    }
}
