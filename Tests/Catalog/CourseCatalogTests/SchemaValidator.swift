import Foundation
import YAMLSource

/// As much of JSON Schema 2020-12 as the catalog's schema uses. A keyword that it doesn't know is an error, so that the
/// schema can't come to use one that isn't checked here.
struct SchemaValidator {
    struct UnknownKeyword: Error, CustomStringConvertible {
        let description: String
    }

    private let root: YAMLNode

    init(json: String) throws { root = try YAMLNode.parse(text: json, file: "schema") }

    func accepts(_ instance: YAMLNode) throws -> Bool { try accepts(instance, root) }

    /// The schema at a path of keys.
    func schema(_ path: String...) -> YAMLNode? {
        path.reduce(Optional(root)) { node, key in node?[key] }
    }

    private func accepts(_ instance: YAMLNode, _ schema: YAMLNode) throws -> Bool {
        for entry in schema.mapping ?? YAMLMapping() where try !holds(entry.key, entry.value, instance, schema) {
            return false
        }
        return true
    }

    private func holds(
        _ keyword: String, _ value: YAMLNode, _ instance: YAMLNode, _ schema: YAMLNode
    ) throws -> Bool {
        switch keyword {
        case "$schema", "$id", "$defs", "title", "description": return true
        case "$ref":
            let name = value.string?.split(separator: "/").last.map(String.init) ?? ""
            guard let target = root["$defs"]?[name] else { throw UnknownKeyword(description: "no definition \(name)") }
            return try accepts(instance, target)
        case "type":
            let types = value.sequence?.compactMap(\.string) ?? [value.string ?? ""]
            return types.contains { isType($0, instance) }
        case "const": return instance == value
        case "enum": return value.sequence?.contains(instance) ?? false
        case "anyOf": return try value.sequence?.contains { try accepts(instance, $0) } ?? false
        case "not": return try !accepts(instance, value)
        case "required":
            guard let mapping = instance.mapping else { return true }
            return value.sequence?.allSatisfy { mapping[$0.string ?? ""] != nil } ?? false
        case "properties":
            guard let mapping = instance.mapping else { return true }
            return try mapping.allSatisfy { entry in
                try value[entry.key].map { try accepts(entry.value, $0) } ?? true
            }
        case "additionalProperties":
            guard value.bool == false else { throw UnknownKeyword(description: "additionalProperties") }
            guard let mapping = instance.mapping else { return true }
            return mapping.allSatisfy { schema["properties"]?[$0.key] != nil }
        case "items": return try instance.sequence?.allSatisfy { try accepts($0, value) } ?? true
        case "minItems": return instance.sequence.map { $0.count >= value.int ?? 0 } ?? true
        case "minLength": return instance.string.map { $0.unicodeScalars.count >= value.int ?? 0 } ?? true
        case "maxLength": return instance.string.map { $0.unicodeScalars.count <= value.int ?? 0 } ?? true
        case "minimum": return instance.double.map { $0 >= value.double ?? 0 } ?? true
        case "maximum": return instance.double.map { $0 <= value.double ?? 0 } ?? true
        case "pattern":
            guard let text = instance.string else { return true }
            return try text.contains(Regex(value.string ?? ""))
        default: throw UnknownKeyword(description: keyword)
        }
    }

    private func isType(_ name: String, _ instance: YAMLNode) -> Bool {
        switch (name, instance.value) {
        case ("string", .string), ("boolean", .bool), ("null", .null), ("array", .sequence), ("object", .mapping),
            ("integer", .int), ("number", .int), ("number", .double):
            true
        default: false
        }
    }
}
