/// Makes a program's standard error readable.
enum ProcessErrorOutput {
    /// The limit on the characters of a line.
    private static let lineBound = 300

    /// The last line that isn't blank, cut to 300 characters; empty if there is none.
    ///
    /// Paths are cut to their last component and memory addresses removed. `names` are known paths: spaces and other
    /// special characters don't end them.
    static func lastLine(of bytes: [UInt8], names: [String] = []) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline).reversed() where !isRepetition(line) {
            let shown = withoutControls(shortened(String(line), names: names))
            if shown.contains(where: { !$0.isWhitespace }) { return String(shown.prefix(lineBound)) }
        }
        return ""
    }

    /// ffmpeg's message for a repeated line.
    private static func isRepetition(_ line: Substring) -> Bool { line.contains("Last message repeated") }

    /// The text without control and format characters (Unicode Cc, Cf), which could control a terminal.
    static func withoutControls(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter {
                    switch $0.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: false
                    default: true
                    }
                }))
    }

    private static func shortened(_ line: String, names: [String]) -> String {
        var line = line
        for name in names.sorted(by: { $0.utf8.count > $1.utf8.count }) where name.contains("/") {
            let last = name.split(separator: "/").last.map(String.init) ?? ""
            line.replace(name, with: last)
        }
        line.replace(/(?:file:)?(?:\/[^\/\s'"]+)*\/([^\/\s'"]*)/) { $0.output.1 }
        line.replace("file:", with: "")
        line.replace(/\ @ 0x[0-9a-f]+/, with: "")
        return line
    }
}
