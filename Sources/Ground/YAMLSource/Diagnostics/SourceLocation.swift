/// A position in a text: line and column, both from 1, columns counted in Unicode scalars.
package struct SourcePosition: Sendable, Hashable, Comparable {
    /// From 1; 0 for the file as a whole.
    package var line: UInt32
    /// From 1, in Unicode scalars.
    package var column: UInt32

    /// A position; both numbers are clamped to 32 bits.
    package init(line: Int, column: Int) {
        self.line = UInt32(clamping: line)
        self.column = UInt32(clamping: column)
    }

    package static let wholeFile = SourcePosition(line: 0, column: 0)

    package static func < (a: SourcePosition, b: SourcePosition) -> Bool {
        (a.line, a.column) < (b.line, b.column)
    }
}

/// The name of a file in diagnostics, shared by all locations in that file.
package final class SourceName: Sendable {
    /// As the user wrote it, or an absolute path.
    package let path: String

    /// A file's name.
    package init(_ path: String) { self.path = path }
}

/// A position in a named file. Two locations are equal if file name and position are.
package struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    package let source: SourceName
    package let position: SourcePosition

    package var file: String { source.path }
    /// From 1; 0 for the file as a whole.
    package var line: Int { Int(position.line) }
    /// From 1, in Unicode scalars.
    package var column: Int { Int(position.column) }

    package init(_ source: SourceName, _ position: SourcePosition) {
        self.source = source
        self.position = position
    }

    /// A position in a file without other locations.
    package init(file: String, line: Int, column: Int) {
        self.init(SourceName(file), SourcePosition(line: line, column: column))
    }

    /// `file:line:column`, or the file alone.
    package var description: String { line == 0 ? file : "\(file):\(line):\(column)" }

    package static func == (a: SourceLocation, b: SourceLocation) -> Bool {
        a.position == b.position && (a.source === b.source || a.source.path == b.source.path)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source.path)
        hasher.combine(position)
    }
}

extension SourcePosition {
    /// The position of a byte in a text, lines and columns counted as in YAML.
    package init(ofByte offset: Int, in text: UnsafeRawBufferPointer) {
        var line = 1
        var column = 1
        var at = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while at < min(offset, text.count) {
            let (scalar, length) = SourceExcerpt.scalar(at: at, in: text)
            let isPair = scalar == "\r" && at + 1 < text.count && text[at + 1] == 0x0A
            if let scalar, SourceExcerpt.isBreak(scalar) {
                (line, column) = (line + 1, 1)
            } else {
                column += 1
            }
            at += isPair ? 2 : length
        }
        self.init(line: line, column: column)
    }
}
