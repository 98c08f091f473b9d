/// A value of a YAML text and its position.
///
/// Two nodes are equal if their values are, regardless of their positions.
package struct YAMLNode: Sendable, Hashable {
    package let value: YAMLValue
    /// Its start.
    package let location: SourceLocation

    package init(_ value: YAMLValue, at location: SourceLocation) {
        self.value = value
        self.location = location
    }

    package static func == (a: YAMLNode, b: YAMLNode) -> Bool { a.value == b.value }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// An error about this value.
    package func error(_ message: String, suggestion: String? = nil) -> Diagnostic {
        Diagnostic(.error, at: location, message, suggestion: suggestion)
    }
}

extension YAMLNode {
    /// The text, of a string only.
    package var string: String? { if case .string(let text) = value { text } else { nil } }

    /// The number, of an integer only.
    package var int: Int? { if case .int(let number) = value { number } else { nil } }

    /// The number, of an integer or a floating-point number.
    package var double: Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The truth value, of a boolean only.
    package var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }

    /// The elements, of a sequence only.
    package var sequence: [YAMLNode]? { if case .sequence(let nodes) = value { nodes } else { nil } }

    /// The entries, of a mapping only.
    package var mapping: YAMLMapping? { if case .mapping(let entries) = value { entries } else { nil } }

    package var isNull: Bool { if case .null = value { true } else { false } }

    /// The value under a key, of a mapping only.
    package subscript(key: String) -> YAMLNode? { mapping?[key] }
}

/// A value of a YAML text by the core schema of YAML 1.2, limited to what JSON can represent: integers within ±2^53,
/// finite numbers, text as keys.
package enum YAMLValue: Sendable, Hashable {
    /// Nothing.
    case null
    case bool(Bool)
    /// A whole number within ±2^53.
    case int(Int)
    /// A finite number that isn't written as an integer.
    case double(Double)
    case string(String)
    case sequence([YAMLNode])
    case mapping(YAMLMapping)

    /// Its kind, with its article, for messages: `a mapping`, `text`, `null`.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
