/// The string literals of a Swift file, including those within interpolations, without comments.
struct SwiftLiterals {
    /// A literal without its escapes, each interpolation as `%`.
    struct Literal: Equatable {
        /// From 1.
        var line: Int
        var text: String

        /// How many words it has that are nothing but letters and apostrophes, marks around them aside.
        var words: Int {
            text.split(whereSeparator: \.isWhitespace).count { part in
                var word = part
                while let last = word.last, ".,;:!?)”".contains(last) { word.removeLast() }
                while let first = word.first, "(“".contains(first) { word.removeFirst() }
                return !word.isEmpty && word.allSatisfy { $0.isLetter || $0 == "'" || $0 == "’" }
            }
        }
    }

    /// One that holds others comes after them.
    private(set) var all: [Literal] = []
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        code(isInterpolated: false)
    }

    /// To the end, or to the bracket that ends an interpolation.
    private mutating func code(isInterpolated: Bool) {
        var depth = 1
        while index < bytes.count {
            if has("//") {
                while index < bytes.count, !has("\n") { index += 1 }
            } else if has("\"") {
                literal()
            } else {
                if isInterpolated, has("(") { depth += 1 }
                if isInterpolated, has(")") { depth -= 1 }
                index += 1
                if depth == 0 { return }
            }
        }
    }

    /// From its first quotation mark to behind its last.
    private mutating func literal() {
        let hashes = String(repeating: "#", count: bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "#") }.count)
        let line = 1 + bytes[..<index].count { $0 == UInt8(ascii: "\n") }
        let quotes = has("\"\"\"") ? "\"\"\"" : "\""
        var text: [UInt8] = []
        index += quotes.utf8.count
        while index < bytes.count, !has(quotes + hashes) {
            if has("\\" + hashes) {
                index += 1 + hashes.utf8.count
                let isInterpolation = has("(")
                index += 1
                guard isInterpolation else { continue }
                code(isInterpolated: true)
                text.append(UInt8(ascii: "%"))
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        index += quotes.utf8.count + hashes.utf8.count
        all.append(Literal(line: line, text: String(decoding: text, as: UTF8.self)))
    }

    private func has(_ text: String) -> Bool { bytes[min(index, bytes.count)...].starts(with: text.utf8) }
}
