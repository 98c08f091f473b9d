import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts

/// `coursefetch open`.
struct OpenVideo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Play a finished video.",
        usage: "coursefetch open <selector> [--with <command>] [<options>]",
        discussion: """
            Hands the file of a finished video to the program that your desktop opens such files with (xdg-open; open on \
            macOS), or to the command that --with names.

            EXAMPLES:
              coursefetch open phys101/kinematics/k1
              coursefetch open phys101/kinematics/k1 --with 'mpv --fs'
            """)

    @Argument(
        help: ArgumentHelp("\(SelectorText.forms).", valueName: "selector"), transform: Selector.argument)
    var selector: Selector

    @Option(help: ArgumentHelp("Open it with this command; the path follows its arguments.", valueName: "command"))
    var with: String?

    @OptionGroup(title: "PLACES") var place: PlaceOptions

    func run() async throws {
        let context = CommandContext()
        let (files, _) = try await context.finishedFiles([selector], place)
        if let problem = FilesText.nothing(files, [selector]) { throw await context.refuse(.failures, problem) }
        guard files.items.count == 1, let item = files.items.first else {
            throw await context.refuse(.usage, FilesText.ambiguous(files))
        }
        let opener = with.map(Opener.command) ?? .desktop
        if let problem = await opener.open(item.path) { throw await context.refuse(.failures, problem) }
        try await context.finish()
    }
}
