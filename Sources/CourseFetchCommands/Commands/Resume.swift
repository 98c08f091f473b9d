import ArgumentParser
import DownloadStore

/// `coursefetch resume`.
struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Go on with paused downloads.",
        usage: "coursefetch resume <selector> ... [<options>]",
        discussion: """
            A running sync takes them up at once, from the very byte; else the next one does.

            EXAMPLES:
              coursefetch resume phys101
              coursefetch resume --paused
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, json: output.json).steer(.resume)
    }
}
