/// Text in the macros of man(7), escaped on insertion.
struct RoffWriter {
    private(set) var source = ""

    mutating func macro(_ name: String, _ arguments: String...) {
        let words = arguments.map { $0.isEmpty || $0.contains(" ") ? "\"\(escaped($0))\"" : escaped($0) }
        source += ([".\(name)"] + words).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) { macro("SH", title) }

    /// The label of an item; its text is added next.
    mutating func item(_ label: String) {
        source += ".TP\n\\fB\(escaped(label))\\fR\n"
    }

    /// A paragraph's text.
    mutating func text(_ text: String) { source += line(text) + "\n" }

    /// Paragraphs; lines that begin with blanks are kept as they are.
    mutating func discussion(_ text: String) {
        var isVerbatim = false
        source += ".PP\n"
        for text in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let wantsVerbatim = text.hasPrefix(" ")
            if wantsVerbatim != isVerbatim { source += wantsVerbatim ? ".PP\n.nf\n" : ".fi\n.PP\n" }
            isVerbatim = wantsVerbatim
            if text.isEmpty { source += ".PP\n" } else { source += line(text) + "\n" }
        }
        if isVerbatim { source += ".fi\n" }
    }

    /// Escapes a line that begins like a macro.
    private func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.first == "." || escaped.first == "'" ? "\\&" + escaped : escaped
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
            .replacing("'", with: "\\(aq")
    }
}
