/// A mistake or a warning at a position in a file.
package struct Diagnostic: Sendable, Hashable, Error {
    /// Whether it prevents the requested action.
    package enum Severity: String, Sendable, Hashable {
        case error, warning
    }

    /// Whether it prevents the requested action.
    package var severity: Severity
    package var location: SourceLocation
    /// The mistake and its correction. One line, no full stop.
    package var message: String
    /// A similar name.
    package var suggestion: String?
    /// The source line with the position in it, once it has been looked up.
    package var excerpt: SourceExcerpt?

    package var file: String { location.file }
    /// From 1; 0 for the file as a whole.
    package var line: Int { location.line }
    /// From 1; 0 for the file as a whole.
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
        return PrintableScalars.safe(text)
    }

    /// `file:line:column: error: the mistake`, then the source line and a caret if they are known.
    package var text: String {
        let head = "\(PrintableScalars.safe(location.description)): \(severity.rawValue): \(summary)"
        guard let excerpt else { return head }
        return "\(head)\n    \(excerpt.line)\n    \(excerpt.caretLine)"
    }
}
