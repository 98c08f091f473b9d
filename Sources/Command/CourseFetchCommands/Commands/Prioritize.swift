import ArgumentParser
import RunAccess

struct Prioritize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prioritize",
        abstract: "Change the priority of downloads.",
        usage: "coursefetch prioritize <selector> ... --to <priority> [<options>]",
        discussion: """
            Overrides the catalog's priority until a download ends. With --to now it starts at once; if all slots are \
            taken, the active download with the lowest priority waits and keeps its bytes.

            EXAMPLES:
              coursefetch prioritize phys101/exam --to now
              coursefetch prioritize maths --to high
              coursefetch prioritize --all --to catalog
            """)

    @OptionGroup var picks: SelectionOptions

    @Option(
        help: ArgumentHelp(
            "high, normal, low (10, 0, -10), a whole number, now, or catalog for what the catalog says.",
            valueName: "priority"),
        transform: PriorityChange.argument)
    var to: PriorityChange

    @OptionGroup var output: JSONOption
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func run() async throws {
        try await SteeringSession(picks: picks, place: place, all: all, json: output.json).prioritize(to)
    }
}

extension PriorityChange {
    /// Reads a priority from the command line.
    static func argument(_ text: String) throws -> PriorityChange {
        switch text {
        case "now": return .now
        case "catalog": return .catalog
        case "high": return .level(10)
        case "normal": return .level(0)
        case "low": return .level(-10)
        default:
            guard let number = Int(text), (-1_000_000...1_000_000).contains(number) else {
                throw ValidationError(
                    """
                    '\(text)' isn't a priority: use high, normal, low, a whole number from -1,000,000 to 1,000,000, \
                    now or catalog
                    """)
            }
            return .level(number)
        }
    }
}
