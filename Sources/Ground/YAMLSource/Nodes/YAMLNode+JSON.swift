import TextFormats

extension YAMLNode {
    /// The value as JSON without spaces, keys in the order of the text.
    package var json: String {
        var bytes: [UInt8] = []
        appendJSON(to: &bytes, sortingKeys: false)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value as JSON without spaces, keys sorted by their UTF-8 bytes: equal values have equal texts.
    package var canonicalJSON: String {
        var bytes: [UInt8] = []
        appendJSON(to: &bytes, sortingKeys: true)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func appendJSON(to bytes: inout [UInt8], sortingKeys: Bool) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .int(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number): bytes.append(contentsOf: "\(number)".utf8)
        case .string(let string): JSONString.append(string, to: &bytes)
        case .sequence(let nodes):
            bytes.append(UInt8(ascii: "["))
            for (index, node) in nodes.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                node.appendJSON(to: &bytes, sortingKeys: sortingKeys)
            }
            bytes.append(UInt8(ascii: "]"))
        case .mapping(let mapping):
            Self.appendJSON(
                sortingKeys ? mapping.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : Array(mapping),
                to: &bytes, sortingKeys: sortingKeys)
        }
    }

    /// A mapping with entries in this order, each key once.
    package static func appendJSON(
        _ entries: [YAMLMapping.Entry], to bytes: inout [UInt8], sortingKeys: Bool
    ) {
        bytes.append(UInt8(ascii: "{"))
        for index in entries.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONString.append(entries[index].key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            entries[index].value.appendJSON(to: &bytes, sortingKeys: sortingKeys)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
