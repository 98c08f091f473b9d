/// Why a text is no value of an option.
enum ValueError: Error, Sendable, Equatable {
    /// A size or rate without its unit.
    case noUnit(String)
    /// A size or rate with a unit that could mean powers of 1000.
    case decimalUnit(String)
    case notASize(String)
    case notADuration(String)
    case notAWholeNumber(String)
    case outOfRange(String, lowest: Int, highest: Int)
    case notAPercentage(String)
    case notAFlag(String)
    case empty
    case selector(String)
}

extension ValueError: CustomStringConvertible {
    /// What is wrong with the text and what would be right.
    var description: String {
        switch self {
        case .noUnit(let text):
            "“\(text)” has no unit: write \(text)B, \(text)K, \(text)M, \(text)G or \(text)T (powers of 1024)"
        case .decimalUnit(let text): "“\(text)” could mean powers of 1000: write K, M, G or T (powers of 1024)"
        case .notASize(let text): "“\(text)” is no size: a number with B, K, M, G or T behind it, such as 500K or 1.5M"
        case .notADuration(let text): "“\(text)” is no duration: write 30s, 10m, 4h, 2d or 1h30m"
        case .notAWholeNumber(let text): "“\(text)” is not a whole number"
        case .outOfRange(let text, let lowest, let highest): "\(text) is not between \(lowest) and \(highest)"
        case .notAPercentage(let text): "“\(text)” is neither a number of files nor a percentage up to 100%"
        case .notAFlag(let text): "“\(text)” is neither true nor false"
        case .empty: "it is empty"
        case .selector(let message): message
        }
    }
}
