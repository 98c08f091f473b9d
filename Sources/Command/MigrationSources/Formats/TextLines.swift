/// Splits text into lines, piece by piece: LF or CRLF, and no byte order mark.
package struct TextLines {
    package struct Line: Sendable, Equatable {
        /// From 1.
        package var number: Int
        /// Without its end; empty if there is a fault.
        package var text: String
        /// The reason why it can't be read: no UTF-8, or longer than any real one.
        package var fault: FormatFault?
    }

    /// The bytes beyond which a line is refused.
    static let longest = 64 << 10

    private var rest: [UInt8] = []
    private var isTooLong = false
    private var number = 1

    package init() {}

    /// Takes the next bytes, and calls `body` with each line that ends in them.
    package mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (Line) throws -> Void) throws {
        var begin = 0
        while begin < piece.count {
            let end = piece[begin...].firstIndex(of: 0x0A)
            keep(UnsafeRawBufferPointer(rebasing: piece[begin..<(end ?? piece.count)]))
            guard let end else { return }
            try hand(body)
            begin = end + 1
        }
    }

    /// Hands out the last line, if it isn't empty.
    package mutating func finish(_ body: (Line) throws -> Void) throws {
        if !rest.isEmpty || isTooLong { try hand(body) }
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        if rest.count + piece.count > Self.longest { isTooLong = true } else { rest.append(contentsOf: piece) }
    }

    private mutating func hand(_ body: (Line) throws -> Void) throws {
        var line = Line(number: number, text: "")
        if rest.last == 0x0D { rest.removeLast() }
        if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        if isTooLong {
            line.fault = .tooLarge
        } else if let text = String(validating: rest, as: UTF8.self) {
            line.text = text
        } else {
            line.fault = .notText
        }
        rest.removeAll(keepingCapacity: true)
        isTooLong = false
        number += 1
        try body(line)
    }
}

extension String {
    /// Without blanks and tabs at both ends.
    package var trimmed: String {
        var rest = self[...]
        while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return String(rest)
    }
}
