import MediaTransfer
import TextFormats

/// The variables of EXT-X-DEFINE that replace `{$name}` (draft-pantos-hls-rfc8216bis §4.3 and §4.4.2.3).
///
/// A replacement isn't searched for variables again. All replacements together stay below ``PlaylistLimit/bytes``.
struct PlaylistVariables: RedactedInPrint {
    /// By name.
    private(set) var values: [String: String] = [:]
    private let query: [String: String]
    private let imports: [String: String]
    private var budget = PlaylistLimit.bytes

    /// `url` is the playlist's own, `imports` are the variables of its master playlist.
    init(url: String? = nil, imports: [String: String] = [:]) {
        self.imports = imports
        query = url.map(Self.query) ?? [:]
    }

    /// Reads an EXT-X-DEFINE tag. A name defined twice, one that can't be imported and one missing in the query of the
    /// playlist's URL are errors.
    mutating func define(_ line: PlaylistLine, _ range: Range<Int>) throws(PlaylistError) {
        let attributes = try AttributeList(line, range)
        let name: String
        let value: String
        if let given = attributes.value("NAME") {
            name = line.text(given)
            guard let text = attributes.value("VALUE") else { throw line.error("EXT-X-DEFINE has no VALUE") }
            value = try replaced(line, text)
        } else if let given = attributes.value("QUERYPARAM") {
            name = line.text(given)
            guard let found = query[name] else {
                throw line.error("the playlist's URL has no such query parameter", at: given.lowerBound)
            }
            value = found
        } else if let given = attributes.value("IMPORT") {
            name = line.text(given)
            guard let found = imports[name] else {
                throw line.error("there is no such variable to import", at: given.lowerBound)
            }
            value = found
        } else {
            throw line.error("EXT-X-DEFINE has neither NAME nor IMPORT nor QUERYPARAM")
        }
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isName) else { throw line.error("no name for a variable") }
        guard values[name] == nil else { throw line.error("the variable is already defined") }
        guard values.count < PlaylistLimit.variables else { throw line.error("more than 1,000 variables") }
        values[name] = value
    }

    /// The text of `range` with every variable replaced. Throws for an undefined one, for invalid UTF-8, and beyond
    /// ``PlaylistLimit/line``.
    mutating func replaced(_ line: PlaylistLine, _ range: Range<Int>) throws(PlaylistError) -> String {
        var result: [UInt8] = []
        var index = range.lowerBound
        var copied = index
        while index + 2 < range.upperBound {
            guard line.bytes[index] == UInt8(ascii: "{"), line.bytes[index + 1] == UInt8(ascii: "$") else {
                index += 1
                continue
            }
            var end = index + 2
            while end < range.upperBound, Self.isName(line.bytes[end]) { end += 1 }
            guard end < range.upperBound, end > index + 2, line.bytes[end] == UInt8(ascii: "}") else {
                index = end
                continue
            }
            guard let value = values[line.text(index + 2..<end)] else {
                throw line.error("a variable that isn't defined", at: index)
            }
            result += line.bytes[copied..<index]
            result += Array(value.utf8)
            budget -= value.utf8.count
            guard result.count <= PlaylistLimit.line, budget >= 0 else {
                throw line.error("the variables expand to too much text", at: index)
            }
            index = end + 1
            copied = index
        }
        if copied > range.lowerBound {
            result += line.bytes[copied..<range.upperBound]
            guard result.count <= PlaylistLimit.line else { throw line.error("the variables expand to too much text") }
        }
        let text =
            copied > range.lowerBound
            ? String(validating: result, as: UTF8.self) : String(validating: line.bytes[range], as: UTF8.self)
        guard let text else { throw line.error("the text isn't UTF-8", at: range.lowerBound) }
        return text
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    /// The first of each name, percent-decoded; `+` is kept, since tokens in Base64 contain it.
    private static func query(of url: String) -> [String: String] {
        let text = url.prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return [:] }
        var result: [String: String] = [:]
        for item in text[text.index(after: mark)...].split(separator: "&").prefix(PlaylistLimit.variables) {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { continue }
            let name = Self.decoded(parts[0])
            if result[name] == nil { result[name] = Self.decoded(parts[1]) }
        }
        return result
    }

    /// Invalid UTF-8 becomes U+FFFD.
    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.bytes(of: Array(text.utf8)[...]), as: UTF8.self)
    }
}
