/// Makes XML of what programs without an XML library write for it: bare ampersands and `<`, HTML's named characters,
/// control characters, blanks before the declaration.
///
/// One pass; what it doesn't know stays as it is.
struct XMLRepair {
    private static let comment = Array("<!--".utf8)
    private static let commentEnd = Array("-->".utf8)
    private static let characters = Array("<![CDATA[".utf8)
    private static let charactersEnd = Array("]]>".utf8)
    private static let instruction = Array("<?".utf8)
    private static let instructionEnd = Array("?>".utf8)
    /// Longer than the longest name, and than any number that is a character.
    private static let longestEntity = 12

    private let text: [UInt8]
    private var result: [UInt8] = []
    private var index = 0

    /// `text`, which is UTF-8, repaired.
    static func repaired(_ text: [UInt8]) -> [UInt8] {
        var repair = XMLRepair(text: text)
        repair.run()
        return repair.result
    }

    private init(text: [UInt8]) {
        self.text = text
        result.reserveCapacity(text.count)
    }

    private mutating func run() {
        skipBlanks()
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "<"): markup()
            default: character()
            }
        }
    }

    /// Nothing may come before a declaration.
    private mutating func skipBlanks() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        while index < text.count {
            if text[index] <= 0x20 {
                index += 1
            } else if text[index...].starts(with: mark) {
                index += mark.count
            } else {
                return
            }
        }
    }

    private mutating func markup() {
        let rest = text[index...]
        if rest.starts(with: Self.comment) {
            skip(Self.comment, to: Self.commentEnd)
        } else if rest.starts(with: Self.instruction) {
            // The declaration tells an encoding that the text isn't in any more.
            skip(Self.instruction, to: Self.instructionEnd)
        } else if rest.starts(with: Self.characters) {
            let end = end(of: Self.charactersEnd, from: index + Self.characters.count)
            while index < end { plain() }
        } else if rest.count > 1, Self.beginsTag(rest[index + 1]) {
            tag()
        } else {
            result += Array("&lt;".utf8)
            index += 1
        }
    }

    private static func beginsTag(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20) || "/!_:".utf8.contains(byte)
    }

    /// Up to its end; in its values the same as in text.
    private mutating func tag() {
        var quote: UInt8?
        result.append(text[index])
        index += 1
        while index < text.count {
            let byte = text[index]
            if let open = quote {
                if byte == open { quote = nil }
                if byte == UInt8(ascii: "<") {
                    result += Array("&lt;".utf8)
                    index += 1
                } else {
                    character()
                }
            } else if byte == UInt8(ascii: ">") {
                result.append(byte)
                index += 1
                return
            } else {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
                plain()
            }
        }
    }

    /// A byte of text, or an entity.
    private mutating func character() {
        guard text[index] == UInt8(ascii: "&") else { return plain() }
        let inside = text[(index + 1)...].prefix(Self.longestEntity)
        guard let end = inside.firstIndex(of: UInt8(ascii: ";")) else { return bare() }
        let name = String(decoding: inside[..<end], as: UTF8.self)
        if ["amp", "lt", "gt", "quot", "apos"].contains(name) {
            result += text[index...end]
        } else if let character = HTMLEntity.character(name) {
            if Self.isAllowed(character.value) { result += Array("&#\(character.value);".utf8) }
        } else {
            return bare()
        }
        index = end + 1
    }

    private mutating func bare() {
        result += Array("&amp;".utf8)
        index += 1
    }

    /// A byte as it is, unless XML has no such character.
    private mutating func plain() {
        let byte = text[index]
        if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE {
            index += 3
            return
        }
        if byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { result.append(byte) }
        index += 1
    }

    private static func isAllowed(_ character: UInt32) -> Bool {
        character >= 0x20 ? character & 0xFFFE != 0xFFFE : [0x09, 0x0A, 0x0D].contains(character)
    }

    /// Leaves something out, but for its line ends.
    private mutating func skip(_ start: [UInt8], to end: [UInt8]) {
        let end = self.end(of: end, from: index + start.count)
        for byte in text[index..<end] where byte == 0x0A { result.append(byte) }
        index = end
    }

    /// Behind the next `mark`; the text's end if there is none.
    private func end(of mark: [UInt8], from start: Int) -> Int {
        var place = start
        while place + mark.count <= text.count {
            guard let next = text[place...].firstIndex(of: mark[0]) else { break }
            if text[next...].starts(with: mark) { return next + mark.count }
            place = next + 1
        }
        return text.count
    }
}
