/// The reason why a text isn't a valid value.
enum ValueError: Error, Sendable, Equatable {
    /// A size or rate without its unit.
    case noUnit(String)
    /// A size or rate with a unit that could mean powers of 1000.
    case decimalUnit(String)
    case notASize(String)
    case notADuration(String)
    /// An interval that is too short.
    case tooShort(String, least: String)
    case notATime(String)
    case notHours(String)
    /// An invalid entry of a timetable.
    case notASlot(String)
    case notAWeekday(String)
    /// A rate for each direction, as rclone allows.
    case twoRates(String)
    case notAWholeNumber(String)
    case outOfRange(String, lowest: Int, highest: Int)
    case notAPercentage(String)
    case notAFlag(String)
    case notOneOf(String, [String])
    case empty
    case userName(String)
    case notAShard(String)
    /// `--shard auto` where no task array says which.
    case noTask(TaskArray.Mistake)
    case selector(String)
    /// The mistake in a layout, and the number of characters before it.
    case layout(String, offset: Int)
}

extension ValueError: CustomStringConvertible {
    /// The mistake and its correction.
    var description: String {
        switch self {
        case .noUnit(let text):
            "'\(text)' has no unit: write \(text)B, \(text)K, \(text)M, \(text)G or \(text)T (powers of 1024)"
        case .decimalUnit(let text): "'\(text)' could mean powers of 1000: write K, M, G or T (powers of 1024)"
        case .notASize(let text): "'\(text)' isn't a size: write a number with B, K, M, G or T, such as 500K or 1.5M"
        case .notADuration(let text): "'\(text)' isn't a duration: write 30s, 10m, 4h, 2d or 1h30m"
        case .tooShort(let text, let least): "\(text) is less than \(least)"
        case .notHours(let text): "'\(text)' isn't a span of hours: write 01:00-06:00, or 22:00-06:00 over midnight"
        case .notATime(let text): "'\(text)' isn't a time: write 06:00, or 2026-11-22T06:00:00Z"
        case .notASlot(let text):
            "'\(text)' isn't a timetable entry: write 08:00,512K or Mon-08:00,512K, with spaces between entries"
        case .notAWeekday(let text): "'\(text)' isn't a weekday: write Mon, Tue, Wed, Thu, Fri, Sat or Sun"
        case .twoRates(let text): "'\(text)' has two rates: only downloads are limited, so write one"
        case .notAWholeNumber(let text): "'\(text)' isn't a whole number"
        case .outOfRange(let text, let lowest, let highest): "\(text) isn't between \(lowest) and \(highest)"
        case .notOneOf(let text, let choices): "'\(text)' is neither \(choices.joined(separator: " nor "))"
        case .notAPercentage(let text): "'\(text)' is neither a number of files nor a percentage up to 100%"
        case .notAFlag(let text): "'\(text)' is neither true nor false"
        case .empty: "it is empty"
        case .userName(let text):
            """
            '\(text)' isn't a user name: use 1 to 64 letters, digits, '.', '_', '-' and '@', and don't begin with '.' \
            or '-'
            """
        case .notAShard(let text):
            "'\(text)' isn't a shard: write its number and the number of all, such as 2/8, or auto"
        case .noTask(let mistake): mistake.description
        case .selector(let message): message
        case .layout(let message, let offset): offset == 0 ? message : "\(message) (character \(offset + 1))"
        }
    }
}
