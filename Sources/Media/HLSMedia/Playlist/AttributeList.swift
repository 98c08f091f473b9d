import MediaTransfer

/// The attributes of one tag (RFC 8216 §4.2).
///
/// Common mistakes of hosts are handled so:
/// - Names are compared without regard to letter case; spaces around `=` and `,` and empty items are skipped.
/// - Of an attribute given twice the first one counts.
/// - A quoted value ends with a quote followed by a comma or the end, so quotes within a name do no harm.
/// - A value without its opening quote ends before a comma followed by another `NAME=`, so a list without quotes stays
///   complete; a superfluous closing quote is dropped.
struct AttributeList: RedactedInPrint {
    /// The position of one attribute in the text.
    struct Item {
        /// The name, in any case.
        let name: Range<Int>
        /// The value, without quotes.
        let value: Range<Int>
    }

    let line: PlaylistLine
    private(set) var items: [Item] = []

    /// Throws for an unclosed quote, and beyond ``PlaylistLimit/attributes``.
    init(_ line: PlaylistLine, _ range: Range<Int>) throws(PlaylistError) {
        self.line = line
        var index = range.lowerBound
        while index < range.upperBound {
            if line.isBlank(index) || line.bytes[index] == UInt8(ascii: ",") {
                index += 1
                continue
            }
            guard items.count < PlaylistLimit.attributes else {
                throw line.error("more than 1,000 attributes", at: index)
            }
            let name = index
            while index < range.upperBound, Self.isName(line.bytes[index]) { index += 1 }
            let nameEnd = index
            index = skipBlanks(index, range.upperBound)
            guard index < range.upperBound, line.bytes[index] == UInt8(ascii: "="), nameEnd > name else {
                // Not an attribute: continue at the next comma.
                while index < range.upperBound, line.bytes[index] != UInt8(ascii: ",") { index += 1 }
                continue
            }
            index = skipBlanks(index + 1, range.upperBound)
            let isQuoted = index < range.upperBound && line.bytes[index] == UInt8(ascii: "\"")
            let value = isQuoted ? try quoted(index, range.upperBound) : unquoted(index, range.upperBound)
            items.append(Item(name: name..<nameEnd, value: value))
            index = value.upperBound
            while index < range.upperBound, line.bytes[index] != UInt8(ascii: ",") { index += 1 }
        }
    }

    /// The position of the value of `name` (in capitals); nil if the attribute is missing.
    func value(_ name: String) -> Range<Int>? {
        items.first { item in
            guard item.name.count == name.utf8.count else { return false }
            var index = item.name.lowerBound
            for byte in name.utf8 {
                let given = line.bytes[index]
                guard given == byte || ((0x61...0x7A).contains(given) && given - 0x20 == byte) else { return false }
                index += 1
            }
            return true
        }?.value
    }

    /// A text with its variables replaced; nil if the attribute is missing or empty.
    func string(_ name: String, _ variables: inout PlaylistVariables) throws(PlaylistError) -> String? {
        guard let range = value(name), !range.isEmpty else { return nil }
        return try variables.replaced(line, range)
    }

    /// A word in capitals; nil if the attribute is missing.
    func word(_ name: String) -> String? { value(name).map { line.text($0).uppercased() } }

    /// Whether the attribute is `YES`.
    func isYes(_ name: String) -> Bool { word(name) == "YES" }

    /// A number that only affects the selection: an invalid one counts as missing.
    func number(_ name: String) -> Double? { value(name).flatMap(line.decimal) }

    private func quoted(_ quote: Int, _ end: Int) throws(PlaylistError) -> Range<Int> {
        var index = quote + 1
        while index < end {
            if line.bytes[index] == UInt8(ascii: "\"") {
                let next = skipBlanks(index + 1, end)
                if next == end || line.bytes[next] == UInt8(ascii: ",") { return quote + 1..<index }
            }
            index += 1
        }
        throw line.error("a quote that isn't closed", at: quote)
    }

    private func unquoted(_ start: Int, _ end: Int) -> Range<Int> {
        var index = start
        while index < end {
            if line.bytes[index] == UInt8(ascii: ","), endsValue(comma: index, end) { break }
            index += 1
        }
        while index > start, line.isBlank(index - 1) { index -= 1 }
        if index > start, line.bytes[index - 1] == UInt8(ascii: "\"") { index -= 1 }
        return start..<index
    }

    /// Whether an attribute, another comma or the end follows; an equals sign without a name counts as an attribute,
    /// too.
    private func endsValue(comma: Int, _ end: Int) -> Bool {
        let start = skipBlanks(comma + 1, end)
        var index = start
        while index < end, Self.isName(line.bytes[index]) { index += 1 }
        let next = skipBlanks(index, end)
        guard next < end else { return index == start }
        return line.bytes[next] == UInt8(ascii: "=") || (index == start && line.bytes[next] == UInt8(ascii: ","))
    }

    private func skipBlanks(_ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end, line.isBlank(index) { index += 1 }
        return index
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}
