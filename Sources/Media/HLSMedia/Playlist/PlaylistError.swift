/// A mistake in a playlist, with its position. Quotes nothing that may be a secret: no URI, no key.
package struct PlaylistError: Error, Sendable, Equatable {
    /// From 1 on.
    package var line: Int
    /// From 1 on, in bytes.
    package var column: Int
    /// A sentence without its full stop.
    package var message: String

    package init(line: Int, column: Int = 1, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }
}
