import Foundation
import TextFormats

/// Reads old-style property lists: `{a = 1; "b c" = "\U4e2d\U6587"; l = (1, 2); d = <0fbd77>;}`, as `description`
/// prints dictionaries. Every scalar in them is text.
struct TextPropertyList {
    private let bytes: [UInt8]
    private var place = 0

    static func read(_ bytes: [UInt8], _ budget: inout NodeBudget) throws(FormatFault) -> PropertyList {
        var reader = TextPropertyList(bytes: try utf8(bytes))
        let value = try reader.value(&budget, depth: 0)
        try reader.skipBlanks()
        guard reader.next == nil else { throw .malformed }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static func utf8(_ bytes: [UInt8]) throws(FormatFault) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let isBig = bytes.starts(with: [0xFE, 0xFF])
        guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
        guard bytes.count.isMultiple(of: 2) else { throw .truncated }
        let units = stride(from: 2, to: bytes.count, by: 2).map {
            UInt16(bytes[$0]) << (isBig ? 8 : 0) | UInt16(bytes[$0 + 1]) << (isBig ? 0 : 8)
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .notText }
        return Array(text.utf8)
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// The next byte, which is gone then.
    private mutating func take() throws(FormatFault) -> UInt8 {
        guard let byte = next else { throw .truncated }
        place += 1
        return byte
    }

    /// Goes past a byte if it is the next.
    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    /// Goes past blanks and comments.
    private mutating func skipBlanks() throws(FormatFault) {
        while let byte = next {
            if byte <= 0x20 {
                place += 1
            } else if bytes[place...].starts(with: "//".utf8) {
                while let byte = next, byte != 0x0A, byte != 0x0D { place += 1 }
            } else if bytes[place...].starts(with: "/*".utf8) {
                place += 2
                while !bytes[place...].starts(with: "*/".utf8) { _ = try take() }
                place += 2
            } else {
                return
            }
        }
    }

    private mutating func value(_ budget: inout NodeBudget, depth: Int) throws(FormatFault) -> PropertyList {
        guard depth < PropertyList.depthBound else { throw .tooDeep }
        try skipBlanks()
        try budget.take(1)
        if skip("{") { return try dictionary(&budget, depth: depth) }
        if skip("(") { return try array(&budget, depth: depth) }
        if skip("<") { return try data() }
        return .string(try string())
    }

    private mutating func dictionary(_ budget: inout NodeBudget, depth: Int) throws(FormatFault) -> PropertyList {
        var values: [String: PropertyList] = [:]
        while true {
            try skipBlanks()
            if skip("}") { return .dictionary(values) }
            let key = try string()
            try skipBlanks()
            guard skip("=") else { throw next == nil ? .truncated : .malformed }
            values[key] = try value(&budget, depth: depth + 1)
            try skipBlanks()
            guard skip(";") || next == UInt8(ascii: "}") else { throw next == nil ? .truncated : .malformed }
        }
    }

    private mutating func array(_ budget: inout NodeBudget, depth: Int) throws(FormatFault) -> PropertyList {
        var values: [PropertyList] = []
        while true {
            try skipBlanks()
            if skip(")") { return .array(values) }
            values.append(try value(&budget, depth: depth + 1))
            try skipBlanks()
            guard skip(",") || next == UInt8(ascii: ")") else { throw next == nil ? .truncated : .malformed }
        }
    }

    private mutating func data() throws(FormatFault) -> PropertyList {
        var data = Data()
        var half: UInt8?
        while true {
            let byte = try take()
            if byte == UInt8(ascii: ">") { break }
            if byte <= 0x20 { continue }
            guard let digit = HexDigit.value(byte) else { throw .malformed }
            if let high = half { data.append(high << 4 | digit) }
            half = half == nil ? digit : nil
        }
        guard half == nil else { throw .malformed }
        return .data(data)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_$/:.-".utf8.contains(byte)
        }
    }

    private mutating func string() throws(FormatFault) -> String {
        let start = place
        if skip("\"") { return try quoted(end: 0x22) }
        if skip("'") { return try quoted(end: 0x27) }
        while let byte = next, Self.isPlain(byte) { place += 1 }
        guard place > start else { throw next == nil ? .truncated : .malformed }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func quoted(end: UInt8) throws(FormatFault) -> String {
        var text: [UInt8] = []
        // The first half of a character that `\U` writes in two.
        var half: UInt16?
        while true {
            let byte = try take()
            if byte == 0x5C, next == UInt8(ascii: "U") {
                place += 1
                try append(try unit(), to: &text, &half)
                continue
            }
            guard half == nil else { throw .notText }
            if byte == end { break }
            if byte == 0x5C { try append(try escape(), to: &text, &half) } else { text.append(byte) }
        }
        guard let string = String(validating: text, as: UTF8.self) else { throw .notText }
        return string
    }

    private func append(_ unit: UInt16, to text: inout [UInt8], _ half: inout UInt16?) throws(FormatFault) {
        if UTF16.isLeadSurrogate(unit) {
            guard half == nil else { throw .notText }
            half = unit
            return
        }
        let units = half.map { [$0, unit] } ?? [unit]
        guard let character = String(validating: units, as: UTF16.self),
            half == nil || character.unicodeScalars.count == 1
        else { throw .notText }
        text += Array(character.utf8)
        half = nil
    }

    private mutating func unit() throws(FormatFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = HexDigit.value(try take()) else { throw .malformed }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private mutating func escape() throws(FormatFault) -> UInt16 {
        let byte = try take()
        switch byte {
        case UInt8(ascii: "a"): return 7
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "v"): return 11
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "r"): return 13
        case 0x30...0x37:
            var number = UInt16(byte - 0x30)
            for _ in 0..<2 {
                guard let more = next, (0x30...0x37).contains(more) else { break }
                place += 1
                number = number << 3 | UInt16(more - 0x30)
            }
            return number
        // A quote, a backslash, an end of line.
        case 0..<0x80: return UInt16(byte)
        default: throw .malformed
        }
    }
}
