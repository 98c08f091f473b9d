import ArgumentParser
import DownloadStore

/// `coursefetch cancel`.
struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Give downloads up: they count as not wanted.",
        usage: "coursefetch cancel <selector> ... [<options>]",
        discussion: """
            What has arrived of them is deleted; finished files stay (see remove). A cancelled download stays away until retry.

            EXAMPLES:
              coursefetch cancel phys101/kinematics/intro
              coursefetch cancel --failed
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, json: output.json).steer(.cancel)
    }
}
