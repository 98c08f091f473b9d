import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct OpenVideo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Play a finished video, or show the page of a course.",
        usage: "coursefetch open <selector> [--with <command>] [<options>]",
        discussion: """
            Hands the file of a finished video to the program that your desktop opens such files with (xdg-open; open \
            on macOS), or to the command that --with names. A course is opened as its page in the browser, where one \
            was written: coursefetch sync --write-index.

            EXAMPLES:
              coursefetch open phys101/kinematics/k1
              coursefetch open phys101/kinematics/k1 --with 'mpv --fs'
              coursefetch open phys101
              coursefetch open phys101/kinematics/k1 --with mpv --json
            """)

    @Argument(
        help: ArgumentHelp("\(SelectorSyntax.forms).", valueName: "selector"), completion: .selectors,
        transform: Selector.argument)
    var selector: Selector

    @Option(help: ArgumentHelp("Open it with this command; the path follows its arguments.", valueName: "command"))
    var with: String?

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions

    func run() async throws {
        let context = CommandContext()
        let (files, facts, _) = try await context.finishedFiles([selector], place)
        if let problem = FilesText.nothing(files, [selector]) { throw await context.refuse(.failures, problem) }
        guard let target = files.target(of: selector, page: facts.page(of:)) else {
            throw await context.refuse(.usage, FilesText.ambiguous(files))
        }
        let opener = with.map(Opener.command) ?? .desktop
        if let problem = await opener.open(target.path, leavesOutputFree: output.json) {
            throw await context.refuse(.failures, problem)
        }
        if output.json {
            context.output.send(
                FilesText.opened(target, program: opener.name, now: Date()), to: STDOUT_FILENO)
        }
        try await context.finish()
    }
}
