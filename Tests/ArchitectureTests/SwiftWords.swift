/// The words of a Swift file's code, without comments, strings and interpolations.
struct SwiftWords {
    /// Types that the file declares at its top level.
    private(set) var declared: Set<String> = []
    /// All words that begin with a capital letter, those after a dot aside.
    private(set) var capitalized: Set<String> = []

    private static let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    init(_ text: String) {
        var isDeclaration = false
        for (word, isTopLevel) in Self.words(Array(text.utf8)) {
            if isDeclaration { declared.insert(word) }
            isDeclaration = isTopLevel && Self.kinds.contains(word)
            if word.first?.isUppercase == true { capitalized.insert(word) }
        }
    }

    /// Every word, and whether its line begins without a blank.
    private static func words(_ bytes: [UInt8]) -> [(word: String, isTopLevel: Bool)] {
        var words: [(word: String, isTopLevel: Bool)] = []
        var isTopLevel = true
        var index = 0
        func has(_ text: StaticString, at place: Int) -> Bool {
            text.withUTF8Buffer { bytes[place...].starts(with: $0) }
        }
        while index < bytes.count {
            let byte = bytes[index]
            if has("//", at: index) {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            } else if has("\"\"\"", at: index) {
                index += 3
                while index < bytes.count, !has("\"\"\"", at: index) { index += 1 }
                index += 3
            } else if byte == UInt8(ascii: "\"") {
                index += 1
                while index < bytes.count, bytes[index] != byte, bytes[index] != UInt8(ascii: "\n") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index += 1
            } else if isLetter(byte) {
                let start = index
                // What follows a dot is a member: a type of its own name is another's.
                let isMember = start > 0 && bytes[start - 1] == UInt8(ascii: ".")
                while index < bytes.count, isLetter(bytes[index]) || isDigit(bytes[index]) { index += 1 }
                if isMember { continue }
                words.append((String(decoding: bytes[start..<index], as: UTF8.self), isTopLevel))
            } else {
                if byte == UInt8(ascii: "\n"), index + 1 < bytes.count {
                    isTopLevel = isLetter(bytes[index + 1]) || bytes[index + 1] == UInt8(ascii: "@")
                }
                index += 1
            }
        }
        return words
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
