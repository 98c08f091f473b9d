import TextFormats

extension YAMLNode {
    /// The value as JSON without spaces, keys in the order of the text.
    package var json: String {
        var text = ""
        appendJSON(to: &text, sortingKeys: false)
        return text
    }

    /// The value as JSON without spaces, keys sorted by their UTF-8 bytes: equal values have equal texts.
    package var canonicalJSON: String {
        var text = ""
        appendJSON(to: &text, sortingKeys: true)
        return text
    }

    package func appendJSON(to text: inout String, sortingKeys: Bool) {
        switch value {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .int(let number): text += String(number)
        case .double(let number): text += "\(number)"
        case .string(let string): JSONString.append(string, to: &text)
        case .sequence(let nodes):
            text += "["
            for (index, node) in nodes.enumerated() {
                if index > 0 { text += "," }
                node.appendJSON(to: &text, sortingKeys: sortingKeys)
            }
            text += "]"
        case .mapping(let mapping):
            let entries =
                sortingKeys ? mapping.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : Array(mapping)
            text += "{"
            for (index, entry) in entries.enumerated() {
                if index > 0 { text += "," }
                JSONString.append(entry.key, to: &text)
                text += ":"
                entry.value.appendJSON(to: &text, sortingKeys: sortingKeys)
            }
            text += "}"
        }
    }
}
