/// The functions and initializers of a Swift file, those without a body and those in others included.
struct SwiftFunctions {
    struct Function: Equatable {
        var name: String
        /// From 1.
        var line: Int
        /// How many of its parameters a call gives without a label.
        var unlabelled: Int
        /// How many lines stand between its braces.
        var length: Int
    }

    private(set) var all: [Function] = []
    private var code: [UInt8]
    private var index = 0

    init(_ text: String) {
        code = SwiftCode(text).bytes
        while index < code.count { step() }
    }

    private mutating func step() {
        guard Self.isWord(code[index]) else { return index += 1 }
        let start = index
        let word = takeWord()
        guard start == 0 || code[start - 1] != UInt8(ascii: ".") else { return }
        switch word {
        case "func": takeFunction(named: nil, from: start)
        case "init": takeFunction(named: word, from: start)
        default: break
        }
    }

    private mutating func takeWord() -> String {
        let start = index
        while index < code.count, Self.isWord(code[index]) { index += 1 }
        return String(decoding: code[start..<index], as: UTF8.self)
    }

    /// From behind `func` or `init` to the beginning of its body, which is searched, too.
    private mutating func takeFunction(named known: String?, from start: Int) {
        let nameStart = index
        while index < code.count, code[index] != UInt8(ascii: "("), code[index] != UInt8(ascii: "<") { index += 1 }
        if known == nil, code[nameStart..<min(index, code.count)].allSatisfy(Self.isBlank) {
            // An operator that begins with `<`.
            while index < code.count, code[index] != UInt8(ascii: "(") { index += 1 }
        }
        let name = known ?? String(decoding: code[nameStart..<min(index, code.count)], as: UTF8.self)
        if index < code.count, code[index] == UInt8(ascii: "<") { skipGenerics() }
        guard index < code.count, code[index] == UInt8(ascii: "(") else { return }
        let unlabelled = takeParameters()
        let line = 1 + code[..<start].count { $0 == UInt8(ascii: "\n") }
        all.append(
            Function(
                name: String(name.filter { !$0.isWhitespace && $0 != "`" && $0 != "?" }), line: line,
                unlabelled: unlabelled, length: bodyLength()))
    }

    private mutating func skipGenerics() {
        var depth = 0
        repeat {
            if code[index] == UInt8(ascii: "<") { depth += 1 }
            if code[index] == UInt8(ascii: ">"), code[index - 1] != UInt8(ascii: "-") { depth -= 1 }
            index += 1
        } while index < code.count && depth > 0
        while index < code.count, Self.isBlank(code[index]) { index += 1 }
    }

    /// From the bracket that opens them to behind the one that closes them.
    private mutating func takeParameters() -> Int {
        var unlabelled = 0
        var depth = 0
        var isStart = false
        repeat {
            let byte = code[index]
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                isStart = depth == 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","): isStart = depth == 1
            default:
                guard isStart, !Self.isBlank(byte) else { break }
                isStart = false
                let isAlone = index + 1 < code.count && Self.isBlank(code[index + 1])
                if byte == UInt8(ascii: "_"), isAlone { unlabelled += 1 }
            }
            index += 1
        } while index < code.count && depth > 0
        return unlabelled
    }

    /// Zero without a body, as in a protocol.
    private func bodyLength() -> Int {
        guard let open = bodyStart() else { return 0 }
        var lines = 0
        var depth = 0
        for byte in code[open...] {
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") { depth -= 1 }
            if byte == UInt8(ascii: "\n") { lines += 1 }
            if depth == 0 { break }
        }
        return max(0, lines - 1)
    }

    private func bodyStart() -> Int? {
        var place = index
        var depth = 0
        while place < code.count {
            let byte = code[place]
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if byte == UInt8(ascii: "}") || depth < 0 { return nil }
            if byte == UInt8(ascii: "{"), depth == 0 { return place }
            if byte == UInt8(ascii: "\n"), depth == 0, !goesOn(after: place) { return nil }
            place += 1
        }
        return nil
    }

    /// Whether what stands in the next line belongs to the same declaration.
    private func goesOn(after lineBreak: Int) -> Bool {
        let rest = code[lineBreak...].drop(while: Self.isBlank)
        return ["{", "->", "where", "async", "throws", "rethrows"].contains { rest.starts(with: $0.utf8) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }
}
