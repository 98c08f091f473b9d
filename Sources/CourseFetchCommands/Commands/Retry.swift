import ArgumentParser
import DownloadStore

/// `coursefetch retry`.
struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try failed or cancelled downloads again, and fetch finished ones anew.",
        usage: "coursefetch retry <selector> ... [<options>]",
        discussion: """
            Where a finished video lacks only what belongs beside it, that is tried again, and the video is left alone. Else \
            a finished file stays until the new one is complete. A running sync begins at once, else the next one does.

            EXAMPLES:
              coursefetch retry --failed
              coursefetch retry phys101/kinematics/intro
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup(title: "PLACES") var place: PlaceOptions

    func run() async throws {
        try await SteeringSession(picks: picks, place: place).steer(.retry)
    }
}
