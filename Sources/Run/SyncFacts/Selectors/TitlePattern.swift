/// A pattern over titles: `Lens*`. Letter case doesn't matter, and `/`, `%` and spaces stand for themselves.
package struct TitlePattern: Sendable, Hashable, CustomStringConvertible {
    /// The prefix of a selector by title.
    static let prefix = "title:"

    private let text: String
    private let glob: Glob

    /// Reads the text after `title:`; quotes around it, which a shell would have removed, are dropped.
    package init(_ text: Substring) throws(SelectorError) {
        var text = text
        if text.count > 1, let first = text.first, first == "\"" || first == "'", text.last == first {
            text = text.dropFirst().dropLast()
        }
        guard !text.isEmpty else { throw .emptyPart(Self.prefix) }
        self.text = String(text)
        glob = try Glob(text.lowercased().replacing("%", with: "%25"))
    }

    /// Exactly this title.
    init(literal title: String) {
        text = title
        glob = Glob(literal: title.lowercased())
    }

    /// The title, if this isn't a pattern.
    var title: String? { glob.id == nil ? nil : text }

    /// The pattern of SQLite's LIKE, which ignores letter case, for titles in ASCII; nil for one that is too long.
    var asciiPattern: String? {
        let pattern = glob.asciiPattern
        return pattern.utf8.count <= 1000 ? pattern : nil
    }

    package func matches(_ title: String) -> Bool { glob.matches(title.lowercased()) }

    /// The text that reads back as this pattern, which may need quotes in a shell.
    package var description: String { Self.prefix + text }
}
