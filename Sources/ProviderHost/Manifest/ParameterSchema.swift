package import ProviderKit

/// What a value in a catalog's `parameters` must be like: the part of JSON Schema 2020-12 that manifests use.
package struct ParameterSchema: Sendable, Hashable {
    /// The types of JSON Schema.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case object, array, string, integer, number, boolean, null
    }

    /// What is said about keys that ``ParameterSchema/properties`` doesn't name, or about a list's items.
    package indirect enum Others: Sendable, Hashable {
        case allowed
        case forbidden
        case like(ParameterSchema)
    }

    /// One named property.
    package struct Property: Sendable, Hashable {
        /// The key.
        package var name: String
        /// What its value must be.
        package var schema: ParameterSchema
    }

    /// A schema that everything satisfies.
    package static let anything = ParameterSchema()

    /// Nothing satisfies it: the schema `false`.
    package var isNothing = false
    /// The allowed types; nil allows all.
    package var kinds: [Kind]?
    /// `enum`: the values that are taken.
    package var enumeration: [JSONValue]?
    /// `const`: the one value that is taken.
    package var constant: JSONValue?
    /// Keys that must be there.
    package var required: [String] = []
    /// In the order of the manifest.
    package var properties: [Property] = []
    /// `additionalProperties`: what other keys may hold.
    package var additional = Others.allowed
    /// What each item of a list must be.
    package var items = Others.allowed
    /// The least number.
    package var minimum: Double?
    /// The greatest number.
    package var maximum: Double?
    /// The fewest characters.
    package var minLength: Int?
    /// The most characters.
    package var maxLength: Int?
    /// What a text must match somewhere.
    package var pattern: ParameterPattern?
    /// For people.
    package var description: String?
    /// `default`: what the plugin gets where the catalog says nothing.
    package var defaultValue: JSONValue?

    /// Whether an object can satisfy its type.
    package var takesObjects: Bool { kinds?.contains(.object) ?? !isNothing }

    /// What is said about a property of this name, nil if it may not be there.
    package func property(_ name: String) -> ParameterSchema? {
        if let property = properties.first(where: { $0.name == name }) { return property.schema }
        switch additional {
        case .allowed: return .anything
        case .forbidden: return nil
        case .like(let schema): return schema
        }
    }

    /// Adds the default of each property that isn't given, at every depth that is there.
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
