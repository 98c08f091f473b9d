/// Text as a word of a shell command.
enum ShellWord {
    /// The text itself where no shell would touch it, else in single quotes.
    static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            guard scalar.isASCII else { return scalar.properties.isAlphabetic }
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ",", ":", "+", "@", "%": return true
            default: return false
            }
        }
        if isPlain, !text.isEmpty, text.first != "-" { return text }
        // A file name that begins with a dash would be taken for an option.
        let word = text.first == "-" ? "./" + text : text
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
