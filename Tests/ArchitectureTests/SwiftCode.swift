/// A Swift file with blanks in the place of its comments and of the texts of its literals, line by line as long as
/// before.
struct SwiftCode {
    private(set) var bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        code(isInterpolated: false)
    }

    /// To the end, or to behind the bracket that ends an interpolation.
    private mutating func code(isInterpolated: Bool) {
        var depth = 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/") where has(UInt8(ascii: "/"), at: index + 1):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank() }
            case UInt8(ascii: "\""): literal()
            case UInt8(ascii: "(") where isInterpolated:
                depth += 1
                index += 1
            case UInt8(ascii: ")") where isInterpolated:
                depth -= 1
                index += 1
                if depth == 0 { return }
            default: index += 1
            }
        }
    }

    /// From its first quotation mark to behind its last hash.
    private mutating func literal() {
        var hashes = 0
        while has(UInt8(ascii: "#"), at: index - 1 - hashes) { hashes += 1 }
        let quotes = hasQuotes(3) ? 3 : 1
        index += quotes
        while index < bytes.count, !(hasQuotes(quotes) && hasHashes(hashes, at: index + quotes)) {
            guard bytes[index] == UInt8(ascii: "\\"), hasHashes(hashes, at: index + 1) else {
                blank()
                continue
            }
            let isInterpolation = has(UInt8(ascii: "("), at: index + 1 + hashes)
            for _ in 0..<(1 + hashes) { blank() }
            if isInterpolation {
                index += 1
                code(isInterpolated: true)
            } else {
                blank()
            }
        }
        index += quotes + hashes
    }

    private mutating func blank() {
        guard index < bytes.count else { return }
        if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
        index += 1
    }

    private func has(_ byte: UInt8, at place: Int) -> Bool { bytes.indices.contains(place) && bytes[place] == byte }

    private func hasQuotes(_ count: Int) -> Bool { (0..<count).allSatisfy { has(UInt8(ascii: "\""), at: index + $0) } }

    private func hasHashes(_ count: Int, at place: Int) -> Bool {
        (0..<count).allSatisfy { has(UInt8(ascii: "#"), at: place + $0) }
    }
}
