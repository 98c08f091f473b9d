/// Reads text with fields between `,`, `;` or tabs, piece by piece. The first line tells which of them it is.
///
/// Quotes, CRLF and line breaks in fields are as in RFC 4180, a byte order mark is left out, and a quote within a field
/// that has none at its beginning stands for itself. A row that can't be read is handed out with its fault; the next
/// one begins on the next line.
///
/// Related: RFC 4180
package struct CSV {
    package struct Row: Sendable, Equatable {
        /// The line on which it begins, from 1.
        package var line: Int
        /// Without quotes; none if there is a fault.
        package var fields: [String] = []
        /// The reason why it can't be read.
        package var fault: FormatFault?
    }

    /// The bytes of a field, the fields of a row, and the bytes of a row, beyond which it is refused.
    static let (longestField, mostFields, longestRow) = (64 << 10, 1024, 1 << 20)

    private enum Place { case start, plain, quoted, closed, skipping }

    private var delimiter: UInt8?
    /// What came before the end of the first line.
    private var head: [UInt8] = []
    private var place = Place.start
    /// The current row's fields, one after the other, and where each but the current one ends.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var isEmpty = true
    private var fault: FormatFault?
    private var line = 1
    private var rowLine = 1
    private var wasReturn = false

    package init() {}

    /// Takes the next bytes, and calls `body` with each row that ends in them.
    package mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (Row) throws -> Void) throws {
        guard delimiter == nil else { return try take(piece, body) }
        head.append(contentsOf: piece)
        guard head.count > Self.longestRow || head.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return }
        try begin(body)
    }

    /// Hands out the last row, which may have no line break at its end.
    package mutating func finish(_ body: (Row) throws -> Void) throws {
        if delimiter == nil { try begin(body) }
        if place == .quoted { fault = .truncated }
        if !isEmpty || fault != nil { try endRow(body) }
    }

    private mutating func begin(_ body: (Row) throws -> Void) throws {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
        let first = head.prefix { $0 != 0x0A && $0 != 0x0D }
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in first {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, byte == UInt8(ascii: ";") || byte == 0x09 || byte == UInt8(ascii: ",") {
                counts[byte, default: 0] += 1
            }
        }
        delimiter = UInt8(ascii: ",")
        for other in [UInt8(ascii: ";"), 0x09] where counts[other] ?? 0 > counts[delimiter ?? 0] ?? 0 {
            delimiter = other
        }
        let bytes = head
        head = []
        try bytes.withUnsafeBytes { try take($0, body) }
    }

    private mutating func take(_ piece: UnsafeRawBufferPointer, _ body: (Row) throws -> Void) throws {
        let delimiter = delimiter ?? UInt8(ascii: ",")
        var index = 0
        while index < piece.count {
            let byte = piece[index]
            index += 1
            if wasReturn {
                wasReturn = false
                if byte == 0x0A { continue }
            }
            if place == .quoted {
                if byte == UInt8(ascii: "\"") {
                    place = .closed
                } else {
                    if byte == 0x0A { line += 1 }
                    append(byte)
                }
                continue
            }
            switch byte {
            case 0x0A, 0x0D:
                wasReturn = byte == 0x0D
                line += 1
                if isEmpty && fault == nil { rowLine = line } else { try endRow(body) }
            case _ where place == .skipping: continue
            case delimiter:
                isEmpty = false
                place = .start
                if ends.count < Self.mostFields { ends.append(bytes.count) } else { fail(.tooLarge) }
            case UInt8(ascii: "\"") where place == .start:
                isEmpty = false
                place = .quoted
            case UInt8(ascii: "\"") where place == .closed:
                place = .quoted
                append(byte)
            case _ where place == .closed: fail(.line(line))
            default:
                isEmpty = false
                place = .plain
                append(byte)
                // The rest of the field at once.
                let end = piece[index...].firstIndex { $0 == delimiter || $0 == 0x0A || $0 == 0x0D } ?? piece.count
                if end - index > Self.longestField { fail(.tooLarge) }
                if place == .plain { bytes.append(contentsOf: piece[index..<end]) }
                checkLength()
                index = end
            }
        }
    }

    private mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        checkLength()
    }

    private mutating func checkLength() {
        guard bytes.count - (ends.last ?? 0) > Self.longestField || bytes.count > Self.longestRow else { return }
        fail(.tooLarge)
    }

    /// The rest of the line is left out.
    private mutating func fail(_ reason: FormatFault) {
        fault = fault ?? reason
        place = .skipping
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    private mutating func endRow(_ body: (Row) throws -> Void) throws {
        var row = Row(line: rowLine, fault: fault)
        if fault == nil {
            ends.append(bytes.count)
            row.fields.reserveCapacity(ends.count)
            bytes.withUnsafeBufferPointer { all in
                var start = 0
                for end in ends {
                    guard let text = String(validating: all[start..<end], as: UTF8.self) else {
                        row.fault = .notText
                        break
                    }
                    row.fields.append(text)
                    start = end
                }
            }
            if row.fault != nil { row.fields = [] }
        }
        (place, isEmpty, fault, rowLine) = (.start, true, nil, line)
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        try body(row)
    }
}
