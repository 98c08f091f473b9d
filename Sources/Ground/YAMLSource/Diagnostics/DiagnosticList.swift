/// The diagnostics of one file: the first hundred in full, the rest as a number. Equal ones are kept once, however
/// often an alias repeats the cause.
package struct DiagnosticList: Sendable {
    /// The limit on diagnostics kept of one file.
    package static let kept = 100

    /// The kept diagnostics, in the order in which they were found.
    package private(set) var items: [Diagnostic] = []
    /// Errors, including those that weren't kept.
    package private(set) var errorCount = 0
    /// Diagnostics that weren't kept.
    package private(set) var omitted = 0
    private var known: Set<Diagnostic> = []

    /// An empty list.
    package init() {}

    package var isEmpty: Bool { items.isEmpty }

    /// Adds one, unless it is there already.
    package mutating func add(_ diagnostic: Diagnostic) {
        guard !known.contains(diagnostic) else { return }
        if diagnostic.severity == .error { errorCount += 1 }
        guard items.count < Self.kept else {
            omitted += 1
            return
        }
        known.insert(diagnostic)
        items.append(diagnostic)
    }

    package mutating func error(at location: SourceLocation, _ message: String, suggestion: String? = nil) {
        add(Diagnostic(.error, at: location, message, suggestion: suggestion))
    }

    package mutating func warning(at location: SourceLocation, _ message: String) {
        add(Diagnostic(.warning, at: location, message))
    }

    /// Adds the contents of another list.
    package mutating func add(contentsOf other: DiagnosticList) {
        for diagnostic in other.items { add(diagnostic) }
        omitted += other.omitted
        errorCount += other.errorCount - other.items.count { $0.severity == .error }
    }

    /// The kept ones in the order of the text.
    package var sorted: [Diagnostic] {
        items.enumerated().sorted {
            ($0.element.location.position, $0.offset) < ($1.element.location.position, $1.offset)
        }.map(\.element)
    }
}
