import ArgumentParser
import DownloadStore

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop downloads until you resume them.",
        usage: "coursefetch pause <selector> ... [<options>]",
        discussion: """
            Active downloads stop within a second and keep their bytes. They stay paused through every sync, logout \
            and login. Works with and without a running sync.

            EXAMPLES:
              coursefetch pause phys101
              coursefetch pause 'phys101/kinematics' maths
              coursefetch pause --all
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, all: all, json: output.json).steer(.pause)
    }
}
