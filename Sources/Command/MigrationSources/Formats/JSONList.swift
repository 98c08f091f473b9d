/// Finds the objects of a JSON list in bytes that come piece by piece, and holds one of them at a time: an array of
/// objects, such an array as a member of an object, or one object after the other (JSON lines).
package struct JSONList {
    package enum Item {
        /// The object's bytes, and the line on which it begins, from 1.
        case object(UnsafeRawBufferPointer, line: Int)
        /// Something else.
        case fault(FormatFault, line: Int)
    }

    /// Where the objects are.
    package struct Start: Sendable, Equatable {
        package var isArray: Bool
        /// Whether the array is a member of an object.
        package var isMember = false
        /// Of the first byte of the first object, or before it.
        package var offset: Int
        /// The line of that byte.
        package var line: Int
    }

    /// The bytes of one object, and those before an array, beyond which it is refused.
    package static let longest = 1 << 20

    private enum Place { case between, inside, string, escape, skipping, after, done }

    private let start: Start
    private var place = Place.between
    private var isAfterComma = true
    private var depth = 0
    private var object: [UInt8] = []
    private var line: Int
    private var objectLine = 0
    private var isLineStart = false
    private var isTooLong = false
    private var rest = Rest()

    /// Takes the bytes from ``Start/offset`` on.
    package init(_ start: Start) {
        self.start = start
        line = start.line
    }

    /// Looks for the list in the first bytes of a text.
    ///
    /// - Parameter known: an object that has one of these keys is one of the list, not around it.
    package static func start(in bytes: UnsafeRawBufferPointer, known: Set<String>) throws(FormatFault) -> Start {
        var reader = JSONFields(bytes, at: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        reader.skipBlanks()
        let first = reader.index
        var found: (isArray: Bool, isMember: Bool, offset: Int)?
        switch reader.next {
        case UInt8(ascii: "["): found = (true, false, first + 1)
        case UInt8(ascii: "{"):
            var inner = JSONFields(bytes, at: first + 1)
            do throws(FormatFault) {
                try inner.members { (key, reader) throws(FormatFault) in
                    if known.contains(key) { return false }
                    if reader.next == UInt8(ascii: "[") {
                        found = (true, true, reader.index + 1)
                        return false
                    }
                    _ = try reader.value(depth: 1, isKept: false)
                    return true
                }
            } catch .truncated where bytes.count >= longest {
                throw .tooLarge
            } catch {}
            // What isn't JSON is found again where the objects are read.
            found = found ?? (false, false, first)
        default: throw .foreign
        }
        let result = found ?? (false, false, first)
        let line = bytes[..<result.offset].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        return Start(isArray: result.isArray, isMember: result.isMember, offset: result.offset, line: line)
    }

    /// Takes the next bytes, and calls `body` with each item that ends in them.
    package mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (Item) throws -> Void) throws {
        // Where the bytes of the current object begin in this piece.
        var begin = 0
        var index = 0
        while index < piece.count {
            let byte = piece[index]
            index += 1
            switch place {
            case .string:
                switch byte {
                case UInt8(ascii: "\""): place = .inside
                case UInt8(ascii: "\\"): place = .escape
                case 0x0A where !start.isArray:
                    // No text goes beyond its line: the object ends here, and the next line may be one.
                    try fail(.line(objectLine), .between, body)
                default: break
                }
            case .escape: place = .string
            case .inside:
                switch byte {
                case UInt8(ascii: "\""): place = .string
                case UInt8(ascii: "{") where !start.isArray && isLineStart:
                    try fail(.line(objectLine), .inside, body)
                    (depth, begin, objectLine) = (1, index - 1, line)
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    guard depth == 0 else { break }
                    keep(piece[begin..<index])
                    try end(body)
                default: break
                }
            case .between:
                switch byte {
                case 0x20, 0x09, 0x0A, 0x0D: break
                case UInt8(ascii: ",") where start.isArray && !isAfterComma: isAfterComma = true
                case UInt8(ascii: "]") where start.isArray: place = .after
                case UInt8(ascii: "{") where isAfterComma || !start.isArray:
                    (place, depth, begin, objectLine) = (.inside, 1, index - 1, line)
                default: try fail(.line(line), .skipping, body)
                }
            case .skipping:
                // Something that is no object: a list goes on after it only if it is simple.
                if start.isArray {
                    if byte == UInt8(ascii: ",") { (place, isAfterComma) = (.between, true) }
                    if byte == UInt8(ascii: "]") { place = .after }
                } else if byte == 0x0A {
                    place = .between
                }
            case .after:
                if let fault = rest.fault(byte, start) {
                    place = .done
                    try body(.fault(fault, line: line))
                }
            case .done: return
            }
            isLineStart = byte == 0x0A
            if byte == 0x0A { line += 1 }
        }
        if place == .inside || place == .string || place == .escape { keep(piece[min(begin, piece.count)...]) }
    }

    /// To be called after the last piece.
    package mutating func finish(_ body: (Item) throws -> Void) throws {
        switch place {
        case .inside, .string, .escape: try body(.fault(.truncated, line: objectLine))
        case .between, .skipping: if start.isArray { try body(.fault(.truncated, line: line)) }
        case .after, .done: break
        }
    }

    private mutating func keep(_ piece: Slice<UnsafeRawBufferPointer>) {
        if object.count + piece.count > Self.longest { isTooLong = true } else { object.append(contentsOf: piece) }
    }

    private mutating func end(_ body: (Item) throws -> Void) throws {
        (place, isAfterComma) = (.between, false)
        defer {
            object.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        if isTooLong { return try body(.fault(.tooLarge, line: objectLine)) }
        let line = objectLine
        try object.withUnsafeBytes { try body(.object($0, line: line)) }
    }

    private mutating func fail(_ fault: FormatFault, _ next: Place, _ body: (Item) throws -> Void) throws {
        let line = place == .between ? line : objectLine
        place = next
        object.removeAll(keepingCapacity: true)
        isTooLong = false
        try body(.fault(fault, line: line))
    }

    /// What follows the array: nothing, or other members of the object around it. A second array would be lost.
    private struct Rest {
        private var (depth, isText, isEscaped) = (0, false, false)

        mutating func fault(_ byte: UInt8, _ start: Start) -> FormatFault? {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                return nil
            }
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { return nil }
            guard start.isMember, depth >= 0 else { return .malformed }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "[") where depth == 0: return .malformed
            default: break
            }
            return nil
        }
    }
}
