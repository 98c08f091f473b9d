package import YAMLSource

/// The result of reading the catalogs of a run.
package struct CatalogReading: Sendable {
    /// The catalog; complete and consistent only if ``verdict`` is `valid`.
    package let catalog: Catalog
    /// Errors and warnings, file by file in the order of reading, each with its source line.
    package let diagnostics: [Diagnostic]
    /// Errors and warnings of a file beyond the first hundred.
    package let omitted: [(file: String, count: Int)]
    /// Errors, including omitted ones.
    package let errorCount: Int
    /// Whether the catalogs can be used.
    package let verdict: Verdict

    /// Whether the catalogs of a run can be used.
    package enum Verdict: Sendable, Hashable {
        /// Yes, though there may be warnings.
        case valid
        /// No: something in them is wrong (exit code 65).
        case invalid
        /// No: nothing in them is wrong, as far as they could be read, but a file couldn't be (exit code 66).
        case unreadable
    }

    /// All messages for the user, line by line; empty if there are none.
    package var report: String {
        var lines: [String] = []
        var rest = omitted[...]
        for (index, diagnostic) in diagnostics.enumerated() {
            lines.append(diagnostic.text)
            let isLast = index + 1 == diagnostics.count || diagnostics[index + 1].file != diagnostic.file
            if isLast, let more = rest.first, more.file == diagnostic.file {
                lines.append("\(PrintableScalars.safe(more.file)): \(more.count) more like these")
                rest = rest.dropFirst()
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
