import TextFormats

/// Texts as YAML that is written for a person has them.
package enum YAMLScalar {
    /// A text as a scalar: plain where that is surely read back as the same text, otherwise in double quotes.
    package static func text(_ text: String) -> String {
        let isPlain = text.wholeMatch(of: /[A-Za-z][A-Za-z0-9_\-]*( [A-Za-z0-9_\-]+)*/) != nil
        let words: Set = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        return isPlain && !words.contains(text.lowercased()) ? text : quoted(text)
    }

    /// A text in double quotes.
    package static func quoted(_ text: String) -> String {
        var json = ""
        JSONString.append(text, to: &json)
        return escaped(json)
    }

    /// JSON that YAML reads as the same values.
    package static func escaped(_ json: String) -> String {
        json.unicodeScalars.reduce(into: "") { result, scalar in
            if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether YAML folds a scalar between double quotes like a line break, or nobody would see it.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0xA0, 0xAD, 0x200B...0x200F, 0x2028...0x202F, 0x2060...0x206F, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
