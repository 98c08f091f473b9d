import ArgumentParser
import CommandOutput
import DownloadStore
import Foundation
import RunAccess

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Delete downloaded files; no sync downloads them again until retry.",
        usage: "coursefetch remove [--yes] <selector> ... [<options>]",
        discussion: """
            Deletes videos with their subtitles, covers and attachments, after a question. Keeps files that somebody \
            changed. The catalog isn't changed: the downloads count as cancelled.

            EXAMPLES:
              coursefetch remove phys101/kinematics
              coursefetch remove --yes phys101
            """)

    @OptionGroup var picks: SelectionOptions

    @Flag(name: [.short, .long], help: "Don't ask.")
    var yes = false

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func run() async throws {
        let isSure = yes
        try await SteeringSession(picks: picks, place: place, all: all, json: output.json).steer(.remove) {
            choice, context in
            guard !isSure, choice.files > 0 else { return true }
            guard isatty(STDIN_FILENO) == 1 else {
                throw await context.refuse(
                    .usage,
                    "this would delete \(SteeringText.files(choice)); without a terminal to ask on it needs --yes")
            }
            return context.confirm("Delete \(SteeringText.files(choice))?")
        }
    }
}
