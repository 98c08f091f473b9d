/// Text that somebody else wrote into a file of ours, made fit to be shown on a terminal.
package enum HarmlessText {
    /// What controls a terminal or the direction of text becomes `?`; at most `limit` scalars stay.
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
