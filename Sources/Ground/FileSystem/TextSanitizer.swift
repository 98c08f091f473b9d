/// Makes text in a file of ours, possibly written by others, safe for a terminal.
package enum TextSanitizer {
    /// Characters that control a terminal or the direction of text become `?`; at most `limit` scalars are kept.
    package static func of(_ text: String, limit: Int) -> String {
        let scalars = text.unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
