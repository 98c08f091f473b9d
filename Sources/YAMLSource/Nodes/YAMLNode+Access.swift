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

    /// Whether it is null.
    package var isNull: Bool { if case .null = value { true } else { false } }

    /// The value under a key, of a mapping only.
    package subscript(key: String) -> YAMLNode? { mapping?[key] }
}
