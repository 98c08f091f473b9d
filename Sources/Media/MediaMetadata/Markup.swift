/// Text for XML and HTML.
enum Markup {
    /// Text as content or as an attribute's value: markup is escaped, and characters not allowed in XML are removed.
    /// Related: XML 1.0 §2.2, §2.4.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            default:
                switch scalar.value {
                case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: break
                // Overrides of direction would show another text.
                case 0x202A...0x202E, 0x2066...0x2069: break
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Text in one line, without control characters, and without those that have no shape and may reorder the others.
    static func line(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: continue
            // Joiners are part of words and emoji.
            case .format where scalar.value != 0x200C && scalar.value != 0x200D: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// `12:34`, or `1:02:03`.
    static func duration(_ seconds: Double) -> String {
        let all = wholeSeconds(seconds)
        let digits = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        let (hours, minutes) = (all / 3600, all / 60 % 60)
        return hours > 0
            ? "\(hours):\(digits(minutes)):\(digits(all % 60))" : "\(minutes):\(digits(all % 60))"
    }

    /// Rounded; 0 for an impossible duration.
    static func wholeSeconds(_ seconds: Double) -> Int {
        seconds.isFinite ? Int(min(max(seconds, 0), 1e9).rounded()) : 0
    }
}
