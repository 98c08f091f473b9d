/// A pattern over titles: `Lens*`. Letter case doesn't matter, and `/`, `%` and spaces stand for themselves.
package struct TitlePattern: Sendable, Hashable, CustomStringConvertible {
    /// What a selector by title begins with.
    static let prefix = "title:"

    private let text: String
    private let glob: Glob

    /// Reads what stands behind `title:`; quotes around it, which a shell would have taken away, are left out.
    init(_ text: Substring) throws(SelectorError) {
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

    /// The title that it stands for, if it is no pattern.
    var title: String? { glob.id == nil ? nil : text }

    package func matches(_ title: String) -> Bool { glob.matches(title.lowercased()) }

    /// The text that reads back as this pattern, which may need quotes in a shell.
    package var description: String { Self.prefix + text }
}
