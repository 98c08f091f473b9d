/// A value that must not be printed by accident: every description of it is `<redacted>`.
///
/// It encodes and decodes as the bare value.
public struct Secret<Value: Sendable>: Sendable {
    public var value: Value

    public init(_ value: Value) {
        self.value = value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<redacted>`, whatever the value is.
    public var description: String { "<redacted>" }

    /// `<redacted>`, whatever the value is.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}

extension Secret: Hashable where Value: Hashable {}

extension Secret: Decodable where Value: Decodable {
    /// Decodes the bare value.
    public init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
    }
}

extension Secret: Encodable where Value: Encodable {
    /// Encodes the bare value.
    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
