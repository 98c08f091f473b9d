/// A name in the order in which people number things: `Lecture 2` before `Lecture 10`, whatever the case.
struct NaturalOrder: Comparable {
    private enum Part: Comparable {
        /// Digits without leading zeros, compared by their count first.
        case number(count: Int, digits: String)
        case text(String)
    }

    private let parts: [Part]
    private let name: String

    init(_ name: String) {
        self.name = name
        var parts: [Part] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isNumber = Self.isDigit(first)
            let part = rest.prefix { Self.isDigit($0) == isNumber }
            rest = rest[part.endIndex...]
            if isNumber {
                let digits = part.drop { $0 == "0" }
                parts.append(.number(count: digits.utf8.count, digits: String(digits)))
            } else {
                parts.append(.text(String(part)))
            }
        }
        self.parts = parts
    }

    static func < (a: NaturalOrder, b: NaturalOrder) -> Bool {
        if a.parts != b.parts { return a.parts.lexicographicallyPrecedes(b.parts) }
        // Swift's own order takes canonically equal names for the same.
        return a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }

    static func == (a: NaturalOrder, b: NaturalOrder) -> Bool { a.name.utf8.elementsEqual(b.name.utf8) }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
