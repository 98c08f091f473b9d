/// Why the reading of a text ended early.
package struct YAMLProblem: Sendable, Equatable {
    /// What kind of end it is.
    package enum Kind: Sendable, Equatable {
        /// The text isn't YAML.
        case syntax
        /// A bound is exceeded.
        case limit
        /// The file can't be read; the system's error number.
        case unreadable(Int32)
    }

    /// What kind of end it is.
    package var kind: Kind
    /// Where, if it is a place.
    package var position: SourcePosition
    /// What is wrong; what would be right.
    package var message: String
    /// The byte at which the text stops being readable characters; the place is found from it.
    package var byteOffset: Int?

    /// A problem at a place.
    init(_ kind: Kind, at position: SourcePosition, _ message: String, byteOffset: Int? = nil) {
        self.kind = kind
        self.position = position
        self.message = message
        self.byteOffset = byteOffset
    }

    /// As a diagnostic; `bytes` is the text, from which the place of a bad byte is found. Where the text given doesn't go
    /// so far, the byte's number is told.
    package func diagnostic(in source: SourceName, bytes: UnsafeRawBufferPointer) -> Diagnostic {
        if let byteOffset, byteOffset > bytes.count {
            return Diagnostic(
                .error, at: SourceLocation(source, .wholeFile), "\(message), at byte \(byteOffset)")
        }
        let position = byteOffset.map { SourcePosition(ofByte: $0, in: bytes) } ?? position
        return Diagnostic(.error, at: SourceLocation(source, position), message)
    }
}
