package import ProviderKit
package import YAMLSource

extension JSONValue {
    /// A value of a catalog in the form sent to a plugin.
    package init(_ node: YAMLNode) {
        self =
            switch node.value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(Int64(value))
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .sequence(let items): .array(items.map(JSONValue.init))
            case .mapping(let mapping):
                .object(Dictionary(mapping.map { ($0.key, JSONValue($0.value)) }) { $1 })
            }
    }

    /// Whether both are equal in JSON Schema, where 1 and 1.0 are one number.
    func isSameNumberOrEqual(to other: JSONValue) -> Bool {
        if let a = double, let b = other.double { return a == b }
        return self == other
    }

    /// The value in the form of YAML.
    var plainText: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .string(let value): "\"\(PrintableScalars.safe(value))\""
        case .array(let values): "[\(values.map(\.plainText).joined(separator: ", "))]"
        case .object(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.plainText)" }.joined(separator: ", "))}"
        }
    }
}
