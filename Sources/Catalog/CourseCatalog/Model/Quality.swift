/// The wanted rendition of a video.
package enum Quality: Sendable, Hashable, CustomStringConvertible {
    case best
    case worst
    /// Sound only.
    case audio
    /// This number of lines: the nearest at or below it, else the lowest.
    case height(Int)
    /// At most this number of kilobits per second.
    case bitrate(Int)

    /// Reads `best`, `worst`, `audio`, `720p` or `2500k`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "best": self = .best
        case "worst": self = .worst
        case "audio": self = .audio
        default:
            let digits = text.dropLast()
            guard
                let first = digits.utf8.first, first != UInt8(ascii: "0"), digits.utf8.count <= 7,
                digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(digits)
            else { return nil }
            switch text.last {
            case "p": self = .height(number)
            case "k": self = .bitrate(number)
            default: return nil
            }
        }
    }

    /// The form in a catalog, and for a provider.
    package var description: String {
        switch self {
        case .best: "best"
        case .worst: "worst"
        case .audio: "audio"
        case .height(let pixels): "\(pixels)p"
        case .bitrate(let kilobits): "\(kilobits)k"
        }
    }

    /// A regular expression for the forms above.
    static let pattern = "^(best|worst|audio|[1-9][0-9]{0,6}[pk])$"
}

/// The wanted subtitles, of those that the stream or the provider offers.
package enum SubtitleSelection: Sendable, Hashable {
    case none
    /// All that are offered.
    case all
    /// Languages, as in BCP 47.
    case languages([String])
}
