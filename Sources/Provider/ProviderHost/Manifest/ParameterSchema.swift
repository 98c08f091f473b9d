package import ProviderKit

/// The requirements for a value in a catalog's `parameters`: the part of JSON Schema 2020-12 that manifests use.
package struct ParameterSchema: Sendable, Hashable {
    /// The types of JSON Schema.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case object, array, string, integer, number, boolean, null
    }

    /// The schema of keys not in ``ParameterSchema/properties``, or of a list's items.
    package indirect enum Others: Sendable, Hashable {
        case allowed
        case forbidden
        case like(ParameterSchema)
    }

    /// An object, so that checking a value doesn't copy its schema.
    package final class Property: Sendable, Hashable {
        /// The key.
        package let name: String
        package let schema: ParameterSchema

        package init(name: String, schema: ParameterSchema) { (self.name, self.schema) = (name, schema) }

        package static func == (a: Property, b: Property) -> Bool { a.name == b.name && a.schema == b.schema }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(schema)
        }
    }

    /// A schema that every value satisfies.
    package static let anything = ParameterSchema()

    /// No value satisfies it: the schema `false`.
    package var isNothing = false
    /// The allowed types; nil allows all.
    package var kinds: [Kind]?
    /// `enum`: the allowed values.
    package var enumeration: [JSONValue]?
    /// `const`: the only allowed value.
    package var constant: JSONValue?
    /// Keys that must be there.
    package var required: [String] = []
    /// In the order of the manifest.
    package var properties: [Property] = []
    /// `additionalProperties`: the schema of other keys.
    package var additional = Others.allowed
    /// The schema of each item of a list.
    package var items = Others.allowed
    /// The least number.
    package var minimum: Double?
    /// The greatest number.
    package var maximum: Double?
    /// The fewest characters.
    package var minLength: Int?
    /// The most characters.
    package var maxLength: Int?
    /// A pattern that must match somewhere in a text.
    package var pattern: ParameterPattern?
    /// For users.
    package var description: String?
    /// `default`: the plugin's value if the catalog has none.
    package var defaultValue: JSONValue?

    /// Whether an object can satisfy its type.
    package var takesObjects: Bool { kinds?.contains(.object) ?? !isNothing }

    /// The described property of this name.
    func described(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// The schema of a property of this name, nil if it isn't allowed.
    package func property(_ name: String) -> ParameterSchema? {
        if let property = described(name) { return property.schema }
        switch additional {
        case .allowed: return .anything
        case .forbidden: return nil
        case .like(let schema): return schema
        }
    }

    /// Adds the default of each missing property, in existing objects at every depth.
    package func fillDefaults(_ parameters: inout [String: JSONValue]) {
        for property in properties {
            switch parameters[property.name] {
            case nil:
                if let value = property.schema.defaultValue { parameters[property.name] = value }
            case .object(var inner):
                property.schema.fillDefaults(&inner)
                parameters[property.name] = .object(inner)
            default: break
            }
        }
    }
}
