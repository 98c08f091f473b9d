import ArgumentParser
import DownloadStore

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Continue paused downloads.",
        usage: "coursefetch resume <selector> ... [<options>]",
        discussion: """
            The running sync continues them at once, from where they stopped; without one, the next sync does.

            EXAMPLES:
              coursefetch resume phys101
              coursefetch resume --paused
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, all: all, json: output.json).steer(.resume)
    }
}
