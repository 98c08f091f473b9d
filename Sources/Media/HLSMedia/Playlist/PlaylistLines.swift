import MediaTransfer

/// The lines of a playlist that aren't blank, with their numbers. A line ends with LF, CR or CRLF.
struct PlaylistLines: RedactedInPrint {
    private let bytes: [UInt8]
    private var position: Int
    private var number = 0

    /// Skips a byte order mark, which doesn't count as a column.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Whether the text begins with a byte order mark of UTF-16.
    var isUTF16: Bool { bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) }

    /// The next line that isn't blank, without surrounding spaces; nil at the end.
    ///
    /// Throws for a line over ``PlaylistLimit/line`` and for control characters, which RFC 8216 §4.1 forbids.
    mutating func next() throws(PlaylistError) -> PlaylistLine? {
        while position < bytes.count {
            let start = position
            number += 1
            var first = -1
            var last = start
            var index = start
            scan: while index < bytes.count {
                let byte = bytes[index]
                if byte > 0x20 {
                    guard byte != 0x7F else { throw control(at: index, start) }
                    if first < 0 { first = index }
                    last = index
                } else {
                    switch byte {
                    case 0x0A, 0x0D: break scan
                    case 0x20, 0x09: break
                    default: throw control(at: index, start)
                    }
                }
                index += 1
            }
            guard index - start <= PlaylistLimit.line else {
                throw PlaylistError(
                    line: number, column: PlaylistLimit.line + 1, message: "the line is longer than 64 KiB")
            }
            position = index + 1
            if position < bytes.count, bytes[index] == 0x0D, bytes[position] == 0x0A { position += 1 }
            if first >= 0 { return PlaylistLine(bytes: bytes, number: number, start: start, content: first..<last + 1) }
        }
        return nil
    }

    private func control(at index: Int, _ start: Int) -> PlaylistError {
        PlaylistError(line: number, column: index - start + 1, message: "a control character")
    }
}
