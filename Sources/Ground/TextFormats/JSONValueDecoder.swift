/// Decodes types from a ``JSONValue``. A nested ``JSONValue`` is taken as it is, at no cost for its depth.
package struct JSONValueDecoder: Decoder {
    /// The value to decode.
    let value: JSONValue
    package let codingPath: [any CodingKey]
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Makes a decoder. `name` is the value's place in errors.
    package init(_ value: JSONValue, at name: String? = nil) {
        self.init(value, name.map { [JSONKey(stringValue: $0)] } ?? [])
    }

    fileprivate init(_ value: JSONValue, _ codingPath: [any CodingKey]) {
        self.value = value
        self.codingPath = codingPath
    }

    /// The value as one of `type`.
    package func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T { try T(from: self) }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw wrong([String: JSONValue].self) }
        return KeyedDecodingContainer(JSONMembers<Key>(members: members, codingPath: codingPath))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw wrong([JSONValue].self) }
        return JSONElements(elements: elements, codingPath: codingPath)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    fileprivate func wrong(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "is \(value.typeName), not \(JSONValue.typeName(of: type))")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    fileprivate func integer<I: FixedWidthInteger>() throws -> I {
        switch value {
        case .int(let number):
            guard let number = I(exactly: number) else { throw outOfRange }
            return number
        case .double: throw outOfRange
        default: throw wrong(I.self)
        }
    }

    private var outOfRange: DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "isn't a whole number within bounds"))
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { value == .null }
    package func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw wrong(type) }
        return value
    }
    package func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw wrong(type) }
        return text
    }
    package func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.double else { throw wrong(type) }
        return number
    }
    package func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    package func decode(_ type: Int.Type) throws -> Int { try integer() }
    package func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    package func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    package func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    package func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    package func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    package func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    package func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    package func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    package func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
}

/// The members of an object.
private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func at(_ key: any CodingKey) throws -> JSONValueDecoder {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "isn't there"))
        }
        return JSONValueDecoder(value, codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try at(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try at(key).decode(type) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try at(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try at(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try at(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try at(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try at(key).integer() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try at(key).integer() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try at(key).integer() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try at(key).integer() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try at(key).integer() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try at(key).integer() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try at(key).integer() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try at(key).integer() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try at(key).integer() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try at(key).integer() }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try at(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try at(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try at(JSONKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try at(key) }
}

/// The elements of a list.
private struct JSONElements: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private var current: JSONValueDecoder {
        get throws {
            let path = codingPath + [JSONKey(intValue: currentIndex)]
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    JSONValue.self, .init(codingPath: path, debugDescription: "isn't there"))
            }
            return JSONValueDecoder(elements[currentIndex], path)
        }
    }

    /// Advances to the next element even if the current one has a wrong type.
    private mutating func step() throws -> JSONValueDecoder {
        let current = try current
        currentIndex += 1
        return current
    }

    mutating func decodeNil() throws -> Bool {
        guard try current.decodeNil() else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try step().decode(type) }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try step().decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try step().decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try step().decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try step().decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try step().integer() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try step().integer() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try step().integer() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try step().integer() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try step().integer() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try step().integer() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try step().integer() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try step().integer() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try step().integer() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try step().integer() }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try step().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try step().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try step() }
}

private struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
