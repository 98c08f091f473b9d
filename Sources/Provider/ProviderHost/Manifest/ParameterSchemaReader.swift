import ProviderKit
import YAMLSource

/// Reads the schema in a manifest's `parameters`. A keyword outside of the protocol is an error.
struct ParameterSchemaReader {
    private static let keywords = [
        "type", "enum", "const", "required", "properties", "additionalProperties", "items", "minimum", "maximum",
        "minLength", "maxLength", "pattern", "description", "default",
    ]

    var problems = DiagnosticList()

    /// The schema in `node`. Its mistakes are added to ``problems``.
    mutating func schema(_ node: YAMLNode) -> ParameterSchema {
        if let isAllowed = node.bool {
            var schema = ParameterSchema.anything
            schema.isNothing = !isAllowed
            return schema
        }
        guard let mapping = node.mapping else {
            fail(node, "a schema is a mapping such as {type: string}, not \(node.value.kind)")
            return .anything
        }
        var schema = ParameterSchema()
        for entry in mapping { read(entry, into: &schema) }
        checkDefault(mapping["default"], schema)
        return schema
    }

    private mutating func read(_ entry: YAMLMapping.Entry, into schema: inout ParameterSchema) {
        let node = entry.value
        switch entry.key {
        case "type": schema.kinds = kinds(node)
        case "enum": schema.enumeration = list(entry)?.map(JSONValue.init)
        case "const": schema.constant = JSONValue(node)
        case "required": schema.required = texts(entry)
        case "properties": schema.properties = properties(node)
        case "additionalProperties": schema.additional = others(node)
        case "items": schema.items = others(node)
        case "minimum": schema.minimum = number(entry)
        case "maximum": schema.maximum = number(entry)
        case "minLength": schema.minLength = length(entry)
        case "maxLength": schema.maxLength = length(entry)
        case "pattern": schema.pattern = pattern(node)
        case "description": schema.description = text(entry)
        case "default": schema.defaultValue = JSONValue(node)
        default:
            problems.error(
                at: entry.keyLocation,
                "the keyword '\(entry.key)' isn't one of \(Self.keywords.joined(separator: ", "))",
                suggestion: NearestName.suggestion(for: entry.key, among: Self.keywords))
        }
    }

    private mutating func kinds(_ node: YAMLNode) -> [ParameterSchema.Kind]? {
        let names = node.sequence ?? [node]
        let all = ParameterSchema.Kind.allCases.map(\.rawValue)
        var kinds: [ParameterSchema.Kind] = []
        for name in names {
            // An unquoted null is a type, too.
            let text = name.isNull ? "null" : name.string ?? ""
            if let kind = ParameterSchema.Kind(rawValue: text) {
                kinds.append(kind)
            } else {
                problems.error(
                    at: name.location, "'type' is one of \(all.joined(separator: ", "))",
                    suggestion: NearestName.suggestion(for: text, among: all))
            }
        }
        return kinds.isEmpty ? nil : kinds
    }

    private mutating func properties(_ node: YAMLNode) -> [ParameterSchema.Property] {
        guard let mapping = node.mapping else {
            fail(node, "'properties' is a mapping from names to schemas, not \(node.value.kind)")
            return []
        }
        return mapping.map { ParameterSchema.Property(name: $0.key, schema: schema($0.value)) }
    }

    private mutating func others(_ node: YAMLNode) -> ParameterSchema.Others {
        let schema = schema(node)
        if schema.isNothing { return .forbidden }
        return schema == .anything ? .allowed : .like(schema)
    }

    private mutating func pattern(_ node: YAMLNode) -> ParameterPattern? {
        guard let source = node.string, let pattern = ParameterPattern(source) else {
            fail(node, "'pattern' isn't a regular expression")
            return nil
        }
        return pattern
    }

    private mutating func checkDefault(_ node: YAMLNode?, _ schema: ParameterSchema) {
        guard let node else { return }
        var check = ParameterCheck(owner: "the manifest")
        check.value(node, schema, at: "default")
        for problem in check.problems { problems.add(problem) }
    }

    private mutating func list(_ entry: YAMLMapping.Entry) -> [YAMLNode]? {
        if let items = entry.value.sequence, !items.isEmpty { return items }
        fail(entry.value, "'\(entry.key)' is a list of at least one value")
        return nil
    }

    private mutating func texts(_ entry: YAMLMapping.Entry) -> [String] {
        let texts = entry.value.sequence?.map(\.string)
        if let texts, !texts.contains(nil) { return texts.compactMap(\.self) }
        fail(entry.value, "'\(entry.key)' is a list of names")
        return []
    }

    private mutating func text(_ entry: YAMLMapping.Entry) -> String? {
        if let text = entry.value.string { return text }
        fail(entry.value, "'\(entry.key)' is text, not \(entry.value.value.kind)")
        return nil
    }

    private mutating func number(_ entry: YAMLMapping.Entry) -> Double? {
        if let number = entry.value.double { return number }
        fail(entry.value, "'\(entry.key)' is a number, not \(entry.value.value.kind)")
        return nil
    }

    private mutating func length(_ entry: YAMLMapping.Entry) -> Int? {
        if let number = entry.value.int, number >= 0 { return number }
        fail(entry.value, "'\(entry.key)' is a whole number, 0 or more")
        return nil
    }

    private mutating func fail(_ node: YAMLNode, _ message: String) {
        problems.error(at: node.location, message)
    }
}
