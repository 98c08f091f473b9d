/// Something wrong, or doubtful, at a place in a file.
package struct Diagnostic: Sendable, Hashable, Error {
    /// Whether it stops what was asked for.
    package enum Severity: String, Sendable, Hashable {
        case error, warning
    }

    /// Whether it stops what was asked for.
    package var severity: Severity
    /// Where.
    package var location: SourceLocation
    /// What is wrong; what would be right. One line, no full stop.
    package var message: String
    /// The name that was probably meant.
    package var suggestion: String?
    /// The source line and where in it, once it has been looked up.
    package var excerpt: SourceExcerpt?

    /// The file's name.
    package var file: String { location.file }
    /// From 1; 0 where the file as a whole is meant.
    package var line: Int { location.line }
    /// From 1; 0 where the file as a whole is meant.
    package var column: Int { location.column }

    /// A diagnostic without its source line.
    package init(
        _ severity: Severity, at location: SourceLocation, _ message: String, suggestion: String? = nil
    ) {
        self.severity = severity
        self.location = location
        self.message = message
        self.suggestion = suggestion
    }

    /// Message and suggestion in one line, safe to print.
    package var summary: String {
        let text = suggestion.map { "\(message); did you mean '\($0)'?" } ?? message
        return PrintableText.safe(text)
    }

    /// `file:line:column: error: what is wrong`, then the source line and a caret where they are known.
    package var text: String {
        let head = "\(PrintableText.safe(location.description)): \(severity.rawValue): \(summary)"
        guard let excerpt else { return head }
        return "\(head)\n    \(excerpt.line)\n    \(excerpt.caretLine)"
    }
}
