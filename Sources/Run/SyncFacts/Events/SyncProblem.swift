package import YAMLSource

/// The reason why a run doesn't start, or a problem at its end. The last event of `--json` repeats it.
package enum SyncProblem: Sendable, Equatable {
    /// A mistake in a catalog, as reported by its reader.
    case mistake(LocatedMessage)
    /// The course written there belongs to another file, which still exists.
    case courseTaken(String, by: String, at: SourceLocation)
    /// A problem with the folder of a course.
    case held(HeldCourse)
    case refusal(Refusal)
}

/// A mistake at a place in a file.
package struct LocatedMessage: Sendable, Equatable {
    /// The file, absolute.
    package var file: String
    /// 1-based; nil for the file as a whole.
    package var line: Int?
    /// 1-based, in characters; nil for the file as a whole.
    package var column: Int?
    /// One sentence.
    package var message: String

    package init(file: String, line: Int?, column: Int?, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }
}
