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
        usage: "coursefetch path [-0 | --json] [--streams] [<selector> ...] [<options>]",
        discussion: """
            Prints the absolute path of each finished video of the selection, one a line, in the order of the \
            catalogs; without a selector of all of them. Videos that aren't finished are left out. It ends with 1 if \
            no video is finished, or if a file isn't there. With --streams all files of a video follow its own one: \
            other views, separate sound, the playlists of a package.

            EXAMPLES:
              coursefetch path phys101/kinematics/k1
              coursefetch path -0 phys101 | xargs -0 cp -t /media/usb
              coursefetch path --json phys101 | jq -r .path
              coursefetch path --streams --json phys101 | jq -r .stream
            """)

    @Argument(
        help: ArgumentHelp("\(SelectorSyntax.forms); each part may be a glob.", valueName: "selector"),
        completion: .selectors, transform: Selector.argument)
    var selectors: [Selector] = []

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each path with NUL instead of a line break.")
    var null = false

    @Flag(help: "Print one JSON object a video, with --streams a file.")
    var json = false

    @Flag(help: "Print all files of a video: other views, separate sound, the playlists of a package.")
    var streams = false

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func validate() throws {
        if json, null { throw ValidationError("--json and --null can't be used together") }
    }

    func run() async throws {
        let context = CommandContext()
        let (files, _, leftOut) = try await context.finishedFiles(selectors, place, all: all, withParts: streams) {
            item in
            let line = json ? FilesText.json(item, showsStream: streams) : FilesText.path(item, endsWithNUL: null)
            context.output.send(line, to: STDOUT_FILENO)
        }
        if !leftOut.isEmpty { try await context.finish(leavingOut: leftOut, json: json) }
        if let problem = FilesText.nothing(files, selectors) { throw await context.refuse(.failures, problem) }
        if let missing = FilesText.missing(files) { throw await context.refuse(.failures, missing) }
        try await context.finish()
    }
}

extension CommandContext {
    /// The finished videos that match selectors, what is true of the whole, and why shards are left out; without
    /// selectors, all. Ends with 64 if a selector matches no video.
    ///
    /// - Parameters:
    ///   - all: whether they are those of all shards.
    ///   - withParts: whether the other files of a video follow its own one.
    ///   - told: called with each file that exists, in catalog order.
    func finishedFiles(
        _ selectors: [Selector], _ place: ShardLocationOptions, all: AllShardsOption? = nil, withParts: Bool = false,
        told: (FinishedFiles.Item) -> Void = { _ in }
    ) async throws -> (files: FinishedFiles, facts: StatusReport, leftOut: [Refusal]) {
        let settings = try await settings(place.texts)
        let location = try all.map(settings.location) ?? settings.shardLocation
        return try await orRefuse { () throws(Refusal) in
            try await StatusReader.read(location) { reader throws(Refusal) in
                let selection = try reader.settled(Selection(selectors: selectors))
                var files = FinishedFiles()
                try reader.each(selection) { row in
                    guard let item = files.add(row, library: reader.facts.library) else { return }
                    told(item)
                    if withParts { files.addParts(of: row, library: reader.facts.library).forEach(told) }
                }
                return (files, reader.facts, reader.leftOut)
            }
        }
    }
}
