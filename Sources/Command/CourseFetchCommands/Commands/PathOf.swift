import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct PathOf: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the paths of finished videos.",
        usage: "coursefetch path [-0 | --json] [<selector> ...] [<options>]",
        discussion: """
            Prints the absolute path of each finished video of the selection, one a line, in the order of the \
            catalogs; without a selector of all of them. Videos that aren't finished are left out. It ends with 1 if \
            no video is finished, or if a file isn't there.

            EXAMPLES:
              coursefetch path phys101/kinematics/k1
              coursefetch path -0 phys101 | xargs -0 cp -t /media/usb
              coursefetch path --json phys101 | jq -r .path
            """)

    @Argument(
        help: ArgumentHelp("\(SelectorSyntax.forms); each part may be a glob.", valueName: "selector"),
        completion: .selectors, transform: Selector.argument)
    var selectors: [Selector] = []

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each path with NUL instead of a line break.")
    var null = false

    @Flag(help: "Print one JSON object a video.")
    var json = false

    @OptionGroup(title: "PLACES") var place: LocationOptions

    func validate() throws {
        if json, null { throw ValidationError("--json and --null can't be used together") }
    }

    func run() async throws {
        let context = CommandContext()
        let (files, _) = try await context.finishedFiles(selectors, place)
        for item in files.items {
            let line = json ? FilesText.json(item) : FilesText.path(item, endsWithNUL: null)
            context.output.send(line, to: STDOUT_FILENO)
        }
        if let problem = FilesText.nothing(files, selectors) { throw await context.refuse(.failures, problem) }
        if let missing = FilesText.missing(files) { throw await context.refuse(.failures, missing) }
        try await context.finish()
    }
}

extension CommandContext {
    /// The finished videos that match selectors, and their report; without selectors, all. Ends with 64 if a selector
    /// matches no video.
    func finishedFiles(
        _ selectors: [Selector], _ place: LocationOptions
    ) async throws -> (files: FinishedFiles, report: StatusReport) {
        let settings = try await settings(place.texts)
        let report = try await orRefuse { () throws(Refusal) in try await StatusReport.read(settings.location) }
        let selection = try await orRefuse { () throws(Refusal) in
            try StatusSelection.settled(Selection(selectors: selectors), report) ?? Selection()
        }
        if let refusal = StatusSelection.unmatched(selection, report) {
            throw await refuse(ExitStatus([refusal.condition]), refusal.message)
        }
        return (FinishedFiles(report, selection), report)
    }
}
