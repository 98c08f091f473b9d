import ArgumentParser
import DownloadStore

/// `coursefetch pause`.
struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop downloads until you resume them.",
        usage: "coursefetch pause <selector> ... [<options>]",
        discussion: """
            What is in progress stops within a second and keeps what has arrived. Paused downloads stay so through every sync, \
            logout and login. Works while a sync is running, and without one.

            EXAMPLES:
              coursefetch pause phys101
              coursefetch pause 'phys101/kinematics' maths
              coursefetch pause --all
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, json: output.json).steer(.pause)
    }
}
