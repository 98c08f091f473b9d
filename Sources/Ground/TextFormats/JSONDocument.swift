/// A JSON document for people: its keys stand in the order in which they are given.
package enum JSONDocument: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case string(String)
    case int(Int)
    case bool(Bool)
    case array([JSONDocument])
    case object([(String, JSONDocument)])

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONDocument...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONDocument)...) { self = .object(elements) }

    /// An object with one more key in front.
    package func with(_ key: String, _ value: JSONDocument) -> JSONDocument {
        guard case .object(let entries) = self else { return self }
        return .object([(key, value)] + entries)
    }

    /// Indented by two blanks a level; short arrays and objects on one line.
    package func text(indent: Int = 0) -> String {
        let line = flat
        if line.utf8.count + indent <= 100, !line.contains("{\"") || line.utf8.count < 60 { return line }
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch self {
        case .array(let items):
            return "[\n" + items.map { inner + $0.text(indent: indent + 2) }.joined(separator: ",\n") + "\n\(outer)]"
        case .object(let entries):
            let lines = entries.map { "\(inner)\(Self.quoted($0.0)): \($0.1.text(indent: indent + 2))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        default: return line
        }
    }

    private var flat: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .int(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .array(let items): "[" + items.map(\.flat).joined(separator: ", ") + "]"
        case .object(let entries):
            "{" + entries.map { "\(Self.quoted($0.0)): \($0.1.flat)" }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = ""
        JSONString.append(text, to: &result)
        return result
    }
}
