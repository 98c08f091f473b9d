/// Text as a word of a shell command.
package enum ShellWord {
    /// The text itself if no shell would interpret it, else in single quotes.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            guard scalar.isASCII else { return scalar.properties.isAlphabetic }
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ",", ":", "+", "@", "%": return true
            default: return false
            }
        }
        // A file name that begins with a dash would be taken for an option.
        let beginsWithDash = text.unicodeScalars.first == "-"
        if isPlain, !text.isEmpty, !beginsWithDash { return text }
        // By scalars: a combining mark must not hide a quote.
        var word = beginsWithDash ? "'./" : "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
        }
        return word + "'"
    }
}
