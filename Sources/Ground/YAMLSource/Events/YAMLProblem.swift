/// The reason why the reading of a text ended early.
package struct YAMLProblem: Sendable, Equatable {
    /// The kind of the reason.
    package enum Kind: Sendable, Equatable {
        /// The text isn't YAML.
        case syntax
        /// A bound is exceeded.
        case limit
        /// The file can't be read; the system's error number.
        case unreadable(Int32)
    }

    /// The kind of the reason.
    package var kind: Kind
    package var position: SourcePosition
    /// The mistake and its correction.
    package var message: String
    /// The offset of the first invalid byte; the position is computed from it.
    package var byteOffset: Int?

    init(_ kind: Kind, at position: SourcePosition, _ message: String, byteOffset: Int? = nil) {
        self.kind = kind
        self.position = position
        self.message = message
        self.byteOffset = byteOffset
    }

    /// As a diagnostic; `bytes` is the text, to find the position of an invalid byte. If the text is too short, the
    /// byte's offset is reported.
    package func diagnostic(in source: SourceName, bytes: UnsafeRawBufferPointer) -> Diagnostic {
        if let byteOffset, byteOffset > bytes.count {
            return Diagnostic(
                .error, at: SourceLocation(source, .wholeFile), "\(message), at byte \(byteOffset)")
        }
        let position = byteOffset.map { SourcePosition(ofByte: $0, in: bytes) } ?? position
        return Diagnostic(.error, at: SourceLocation(source, position), message)
    }
}
