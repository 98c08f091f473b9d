import ArgumentParser
import DownloadStore

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads: no sync downloads them until retry.",
        usage: "coursefetch cancel <selector> ... [<options>]",
        discussion: """
            Deletes partial files and keeps finished files; to delete those, use remove.

            EXAMPLES:
              coursefetch cancel phys101/kinematics/intro
              coursefetch cancel --failed
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, all: all, json: output.json).steer(.cancel)
    }
}
