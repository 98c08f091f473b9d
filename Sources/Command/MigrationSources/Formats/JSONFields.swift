/// Reads the members of one JSON object that are wanted, in one pass. The others are checked and not kept; of equal
/// keys the last one counts.
///
/// Related: RFC 8259
package struct JSONFields {
    /// The depth of nested values, beyond which a text is refused.
    static let deepest = 64

    private let bytes: UnsafeRawBufferPointer
    /// Where it stands.
    private(set) var index: Int

    /// The wanted members of the object that is the whole of `bytes`, blanks and a byte order mark aside.
    package static func of(
        _ bytes: UnsafeRawBufferPointer, wanted: Set<String>
    ) throws(FormatFault) -> [String: FieldValue] {
        var reader = JSONFields(bytes, at: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        reader.skipBlanks()
        guard reader.next == UInt8(ascii: "{") else { throw bytes.isEmpty ? .truncated : .foreign }
        var fields: [String: FieldValue] = [:]
        reader.index += 1
        try reader.members { (key, reader) throws(FormatFault) in
            let value = try reader.value(depth: 1, isKept: wanted.contains(key))
            if wanted.contains(key) { fields[key] = value }
            return true
        }
        reader.skipBlanks()
        guard reader.index == bytes.count else { throw .malformed }
        return fields
    }

    /// A reader that begins somewhere in the bytes.
    init(_ bytes: UnsafeRawBufferPointer, at index: Int) { (self.bytes, self.index) = (bytes, index) }

    /// The next byte; nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Goes over blanks and line breaks.
    mutating func skipBlanks() {
        while index < bytes.count,
            bytes[index] == 0x20 || bytes[index] == 0x0A || bytes[index] == 0x0D
                || bytes[index] == 0x09
        { index += 1 }
    }

    /// Reads what follows the brace of an object up to its end: calls `body` with each key, where its value begins,
    /// until it returns false. It has to read the value.
    mutating func members(
        _ body: (String, inout JSONFields) throws(FormatFault) -> Bool
    ) throws(FormatFault) {
        skipBlanks()
        if try take(UInt8(ascii: "}")) { return }
        while true {
            skipBlanks()
            let key = try string(isKept: true)
            skipBlanks()
            guard try take(UInt8(ascii: ":")) else { throw .malformed }
            skipBlanks()
            guard try body(key, &self) else { return }
            skipBlanks()
            if try take(UInt8(ascii: "}")) { return }
            guard try take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    /// Reads any value.
    ///
    /// - Parameter isKept: whether the text of a string is wanted.
    mutating func value(depth: Int, isKept: Bool) throws(FormatFault) -> FieldValue {
        switch next {
        case nil: throw .truncated
        case UInt8(ascii: "\""): return .text(try string(isKept: isKept))
        case UInt8(ascii: "{"):
            guard depth < Self.deepest else { throw .tooDeep }
            index += 1
            try members { (_, reader) throws(FormatFault) in
                _ = try reader.value(depth: depth + 1, isKept: false)
                return true
            }
            return .composite
        case UInt8(ascii: "["):
            guard depth < Self.deepest else { throw .tooDeep }
            index += 1
            try elements(depth: depth)
            return .composite
        case UInt8(ascii: "t"): return try word("true", .truth(true))
        case UInt8(ascii: "f"): return try word("false", .truth(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func elements(depth: Int) throws(FormatFault) {
        skipBlanks()
        if try take(UInt8(ascii: "]")) { return }
        while true {
            skipBlanks()
            _ = try value(depth: depth + 1, isKept: false)
            skipBlanks()
            if try take(UInt8(ascii: "]")) { return }
            guard try take(UInt8(ascii: ",")) else { throw .malformed }
        }
    }

    private mutating func take(_ byte: UInt8) throws(FormatFault) -> Bool {
        guard let next else { throw .truncated }
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: FieldValue) throws(FormatFault) -> FieldValue {
        let end = index + text.utf8CodeUnitCount
        guard end <= bytes.count else { throw .truncated }
        guard text.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else { throw .malformed }
        index = end
        return value
    }

    private mutating func digits() throws(FormatFault) {
        let begin = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        guard index > begin else { throw next == nil ? .truncated : .malformed }
    }

    private mutating func number() throws(FormatFault) -> FieldValue {
        let begin = index
        if next == UInt8(ascii: "-") { index += 1 }
        if next == UInt8(ascii: "0") { index += 1 } else { try digits() }
        var isWhole = true
        if next == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        let text = String(decoding: bytes[begin..<index], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw .malformed }
        return Int64(exactly: value).map { .integer($0) } ?? .real(value)
    }

    private mutating func string(isKept: Bool) throws(FormatFault) -> String {
        guard try take(UInt8(ascii: "\"")) else { throw .malformed }
        var text: [UInt8] = []
        while true {
            let begin = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"),
                bytes[index] >= 0x20
            { index += 1 }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[begin..<index])
            switch next {
            case nil: throw .truncated
            case UInt8(ascii: "\""):
                index += 1
                if text.isEmpty {
                    guard let whole = String(validating: piece, as: UTF8.self) else { throw .notText }
                    return whole
                }
                text.append(contentsOf: piece)
                guard let whole = String(validating: text, as: UTF8.self) else { throw .notText }
                return isKept ? whole : ""
            case UInt8(ascii: "\\"):
                text.append(contentsOf: piece)
                index += 1
                try escape(&text)
            default: throw .malformed
            }
        }
    }

    private mutating func escape(_ text: inout [UInt8]) throws(FormatFault) {
        guard let byte = next else { throw .truncated }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if (0xD800..<0xDC00).contains(code), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u")
            {
                let before = index
                index += 2
                let low = try hexadecimal()
                if (0xDC00..<0xE000).contains(low) {
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                } else {
                    index = before
                }
            }
            // Python writes half a pair for a byte of a name that isn't text.
            let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
            text.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw .malformed
        }
    }

    private mutating func hexadecimal() throws(FormatFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw .truncated }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .malformed }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
