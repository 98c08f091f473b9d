/// Any JSON value. Integers within 64 bits stay exact.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits into 64 bits.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// An object; its keys have no order.
    case object([String: JSONValue])

    /// The string, or nil if it is something else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, or nil if it is something else.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The number, whole or not, or nil if it is something else.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The truth value, or nil if it is something else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The list, or nil if it is something else.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, or nil if it is something else.
    public var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value under `key`, or nil if this is no object or has no such key.
    public subscript(key: String) -> JSONValue? { object?[key] }
}

extension JSONValue: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONValueDecoder {
            self = decoder.value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    /// Encodes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// `null`.
    public init(nilLiteral: ()) { self = .null }

    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object; of equal keys the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSONValue {
    /// The name of its type for messages.
    package var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The name of the type that a value is decoded as.
    static func typeName(of type: any Any.Type) -> String {
        switch type {
        case is Bool.Type: "a boolean"
        case is String.Type: "a string"
        case is Double.Type, is Float.Type: "a number"
        case is any FixedWidthInteger.Type: "a whole number"
        case is [JSONValue].Type: "an array"
        default: "an object"
        }
    }
}
