import ProviderKit
import YAMLSource

/// Checks the parameters of a catalog against a plugin's schema.
struct ParameterCheck {
    /// The owner of the schema, for messages: `provider `direct``.
    let owner: String
    /// The mistakes, with their positions.
    private(set) var problems: [Diagnostic] = []

    init(owner: String) {
        self.owner = owner
    }

    /// Checks all parameters of a video or course at `place`; whether required ones are there only if `isComplete`.
    mutating func parameters(
        _ parameters: [String: YAMLNode], _ schema: ParameterSchema, at place: SourceLocation, isComplete: Bool = true
    ) {
        for name in schema.required where isComplete && parameters[name] == nil {
            // One with a default always has a value in the end.
            if schema.property(name)?.defaultValue == nil { report(place, "\(owner) needs the parameter '\(name)'") }
        }
        for (name, node) in parameters.sorted(by: { $0.value.location.position < $1.value.location.position }) {
            property(name, node, keyLocation: node.location, of: schema, at: name)
        }
    }

    /// Checks a single parameter.
    mutating func parameter(_ name: String, _ node: YAMLNode, _ schema: ParameterSchema) {
        property(name, node, keyLocation: node.location, of: schema, at: name)
    }

    /// Checks one value; `path` is its name in messages.
    mutating func value(_ node: YAMLNode, _ schema: ParameterSchema, at path: String) {
        if schema.isNothing {
            report(node.location, "\(owner) takes no '\(path)'")
            return
        }
        if let kinds = schema.kinds, !kinds.contains(where: { node.isOf($0) }) {
            let wanted = kinds.map(\.plainText).joined(separator: " or ")
            report(
                node.location, "'\(path)' must be \(wanted), not \(node.value.kind)", suggestion: quoting(node, kinds))
            return
        }
        checkChoice(node, schema, path)
        switch node.value {
        case .string(let text): checkText(node, text: text, against: schema, at: path)
        case .int, .double: checkNumber(node, schema, path)
        case .sequence(let items):
            if case .forbidden = schema.items, let first = items.first {
                report(first.location, "'\(path)' must be empty")
            }
            guard case .like(let itemSchema) = schema.items else { return }
            for (index, item) in items.enumerated() { value(item, itemSchema, at: "\(path)[\(index)]") }
        case .mapping(let mapping):
            for name in schema.required where mapping[name] == nil && schema.property(name)?.defaultValue == nil {
                report(node.location, "'\(path)' needs '\(name)'")
            }
            for entry in mapping {
                property(entry.key, entry.value, keyLocation: entry.keyLocation, of: schema, at: "\(path).\(entry.key)")
            }
        case .null, .bool: break
        }
    }

    private mutating func property(
        _ name: String, _ node: YAMLNode, keyLocation: SourceLocation, of schema: ParameterSchema, at path: String
    ) {
        if let property = schema.described(name) { return value(node, property.schema, at: path) }
        guard let others = schema.property(name) else {
            let known = schema.properties.map(\.name)
            let list = known.isEmpty ? "" : "; it takes \(known.joined(separator: ", "))"
            report(
                keyLocation, "\(owner) takes no parameter '\(path)'\(list)",
                suggestion: NearestName.suggestion(for: name, among: known))
            return
        }
        value(node, others, at: path)
    }

    private mutating func checkChoice(_ node: YAMLNode, _ schema: ParameterSchema, _ path: String) {
        guard schema.constant != nil || schema.enumeration != nil else { return }
        let value = JSONValue(node)
        if let constant = schema.constant, !constant.isSameNumberOrEqual(to: value) {
            report(node.location, "'\(path)' must be \(constant.plainText)")
        }
        if let choices = schema.enumeration, !choices.contains(where: { $0.isSameNumberOrEqual(to: value) }) {
            report(
                node.location, "'\(path)' must be one of \(choices.map(\.plainText).joined(separator: ", "))",
                suggestion: value.string.flatMap {
                    NearestName.suggestion(for: $0, among: choices.compactMap(\.string))
                })
        }
    }

    private mutating func checkText(_ node: YAMLNode, text: String, against schema: ParameterSchema, at path: String) {
        // Lengths count characters as JSON Schema does: Unicode scalars.
        if let bound = schema.minLength, text.unicodeScalars.count < bound {
            report(
                node.location, bound == 1 ? "'\(path)' is empty" : "'\(path)' must have at least \(bound) characters")
        }
        if let bound = schema.maxLength, text.unicodeScalars.count > bound {
            report(node.location, "'\(path)' must have at most \(bound) characters")
        }
        if let pattern = schema.pattern, !pattern.matches(text) {
            report(node.location, "'\(path)' must match \(pattern.source)")
        }
    }

    private mutating func checkNumber(_ node: YAMLNode, _ schema: ParameterSchema, _ path: String) {
        guard let number = node.double else { return }
        if let bound = schema.minimum, number < bound {
            report(node.location, "'\(path)' must be at least \(plain(bound))")
        }
        if let bound = schema.maximum, number > bound {
            report(node.location, "'\(path)' must be at most \(plain(bound))")
        }
    }

    private func plain(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    }

    /// `no`, `1.10` and similar scalars aren't text in YAML unless they are quoted.
    private func quoting(_ node: YAMLNode, _ kinds: [ParameterSchema.Kind]) -> String? {
        guard kinds.contains(.string), let text = node.scalarText else { return nil }
        return "\"\(text)\""
    }

    private mutating func report(_ place: SourceLocation, _ message: String, suggestion: String? = nil) {
        problems.append(Diagnostic(.error, at: place, message, suggestion: suggestion))
    }
}

extension YAMLNode {
    /// Whether it has this type in JSON Schema; 1.0 is an integer there.
    fileprivate func isOf(_ kind: ParameterSchema.Kind) -> Bool {
        switch (kind, value) {
        case (.object, .mapping), (.array, .sequence), (.string, .string), (.integer, .int), (.number, .int),
            (.number, .double), (.boolean, .bool), (.null, .null):
            true
        case (.integer, .double(let number)): number == number.rounded()
        default: false
        }
    }

    fileprivate var scalarText: String? {
        switch value {
        case .int, .double, .bool: json
        case .null, .string, .sequence, .mapping: nil
        }
    }
}

extension ParameterSchema.Kind {
    fileprivate var plainText: String {
        switch self {
        case .object: "a mapping"
        case .array: "a list"
        case .string: "text"
        case .integer: "an integer"
        case .number: "a number"
        case .boolean: "true or false"
        case .null: "null"
        }
    }
}
