/// Reads JSON text in one pass, in time linear in its length. Of equal keys the last one counts.
///
/// Stricter than Foundation: no comma after the last member, no comments, no UTF-16, and a bound on the depth of
/// nesting.
///
/// Related: RFC 8259
package struct JSONReader {
    /// The reason why bytes are refused.
    package enum Fault: Error, Equatable {
        case notUTF8
        case notJSON
        /// Lists and objects are nested too deep.
        case tooDeep
    }

    /// The default bound on the depth of nested lists and objects.
    package static let depthBound = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private let depthBound: Int
    private var index = 0
    private var depth = 0

    /// The value of the JSON text in `bytes`.
    package static func value(
        of bytes: UnsafeRawBufferPointer, depth: Int = depthBound
    ) throws(Fault) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        let result: Result<JSONValue, Fault> = bytes.withMemoryRebound(to: UInt8.self) { bytes in
            var reader = JSONReader(bytes: bytes, depthBound: depth)
            do throws(Fault) { return .success(try reader.whole()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The value of the JSON text in `bytes`.
    package static func value(of bytes: some Sequence<UInt8>) throws(Fault) -> JSONValue {
        let result: Result<JSONValue, Fault> = Array(bytes).withUnsafeBytes { bytes in
            do throws(Fault) { return .success(try value(of: bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The value of the JSON text in `bytes`, decoded. Keys that the type doesn't know are read, too, so they have to
    /// be valid JSON.
    package static func decode<T: Decodable>(_ type: T.Type = T.self, from bytes: some Sequence<UInt8>) throws -> T {
        try JSONValueDecoder(value(of: bytes)).decode(type)
    }

    /// The index of the first byte of `bytes` that can't be part of a JSON text; their count if they end in the middle
    /// of one, nil if they are one.
    package static func firstMistake(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes: bytes, depthBound: depthBound)
            do throws(Fault) { _ = try reader.whole() } catch { return reader.index }
            return nil
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, depthBound: Int) {
        self.bytes = bytes
        self.depthBound = depthBound
    }

    private mutating func whole() throws(Fault) -> JSONValue {
        // A byte order mark, which some libraries write.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        skipBlanks()
        let value = try value()
        skipBlanks()
        guard index == bytes.count else { throw .notJSON }
        return value
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value() throws(Fault) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try nested { (reader) throws(Fault) in .object(try reader.members()) }
        case UInt8(ascii: "["): return try nested { (reader) throws(Fault) in .array(try reader.elements()) }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(Fault) -> JSONValue
    ) throws(Fault) -> JSONValue {
        index += 1
        depth += 1
        guard depth <= depthBound else { throw .tooDeep }
        skipBlanks()
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func elements() throws(Fault) -> [JSONValue] {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            skipBlanks()
            elements.append(try value())
            skipBlanks()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw .notJSON }
        }
    }

    private mutating func members() throws(Fault) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipBlanks()
            let key = try string()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw .notJSON }
            skipBlanks()
            members[key] = try value()
            skipBlanks()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw .notJSON }
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
        let end = index + text.utf8CodeUnitCount
        guard end <= bytes.count, text.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else { throw .notJSON }
        index = end
        return value
    }

    private mutating func digits() throws(Fault) {
        let begin = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        guard index > begin else { throw .notJSON }
    }

    /// A number beyond the range of `Double` is refused, since infinity can't be meant.
    private mutating func number() throws(Fault) -> JSONValue {
        let begin = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        let isWhole = next.map { !".eE".utf8.contains($0) } ?? true
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[begin..<index], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else { throw .notJSON }
        return Int64(exactly: value).map { .int($0) } ?? .double(value)
    }

    private mutating func string() throws(Fault) -> String {
        guard take(UInt8(ascii: "\"")) else { throw .notJSON }
        let begin = index
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw .notJSON }
            index += 1
        }
        if next == UInt8(ascii: "\"") {
            defer { index += 1 }
            return String(decoding: bytes[begin..<index], as: UTF8.self)
        }
        var text = Array(bytes[begin..<index])
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(&text)
            case 0..<0x20: throw .notJSON
            default: text.append(byte)
            }
        }
        throw .notJSON
    }

    private mutating func escape(_ text: inout [UInt8]) throws(Fault) {
        guard let byte = next else { throw .notJSON }
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
            if (0xD800..<0xDC00).contains(code) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw .notJSON }
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw .notJSON }
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            }
            // Half a surrogate pair is no character.
            guard let scalar = Unicode.Scalar(code) else { throw .notJSON }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: throw .notJSON
        }
    }

    private mutating func hexadecimal() throws(Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .notJSON }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
