import TextFormats

/// The JSON Schema of the catalog format, for editors that complete and check YAML with a schema.
///
/// It is made from the decoder's tables, so that both have the same keys. Only the decoder checks the rules that a
/// schema can't express (unique ids, a provider for every video, includes).
///
/// Related: JSON Schema 2020-12, <https://json-schema.org/draft/2020-12>.
package enum CatalogSchema {
    /// The schema's text, ending with a line break.
    package static var json: String {
        var definitions: [(String, JSONDocument)] = CatalogLevel.allCases.dropFirst().map {
            ($0.definition, mapping($0))
        }
        definitions += FieldSchema.shared
        let root: JSONDocument = .object([
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("$id", "urn:coursefetch:catalog:1"),
            ("title", "coursefetch catalog, version 1"),
        ])
        guard case .object(let head) = root, case .object(let body) = mapping(.catalog) else { return "" }
        return JSONDocument.object(head + body + [("$defs", .object(definitions))]).text() + "\n"
    }

    private static func mapping(_ level: CatalogLevel) -> JSONDocument {
        let properties = level.fields.map { field in
            (field.key, FieldSchema.schema(of: field).with("description", .string(field.summary)))
        }
        var entries: [(String, JSONDocument)] = [("type", "object")]
        if !level.required.isEmpty { entries.append(("required", .array(level.required.map { .string($0.key) }))) }
        entries.append(("properties", .object(properties)))
        entries.append(("additionalProperties", false))
        return .object(entries)
    }
}

extension CatalogLevel {
    /// Its name among the schema's definitions.
    var definition: String { String(describing: self) }
}
