/// One step through a YAML text. Aliases are resolved: their nodes appear in their place.
///
/// `text` points into the reader's buffers and is valid until the reader's next step.
package struct YAMLEvent {
    package enum Kind: UInt8 {
        /// A document's or collection's two ends, a scalar, and the end of all.
        case streamEnd, documentStart, documentEnd, scalar, sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }

    /// The tag of a node, as far as the core schema knows it.
    package enum Tag: UInt8 {
        /// No tag: a plain scalar is resolved by its form.
        case none
        /// `!`: text, whatever its form.
        case nonSpecific
        /// The tags of the core schema.
        case string, int, float, bool, null, sequence, mapping
        /// The node was refused and reported already; further mistakes in it aren't reported.
        case mistaken
    }

    package var kind: Kind
    /// Whether a scalar has no quotes and isn't a block scalar.
    package var isPlain: Bool
    /// The node's tag.
    package var tag: Tag
    /// Its start; for a node of an alias, its own position.
    package var position: SourcePosition
    /// A scalar's text in UTF-8, after unescaping; empty for anything else.
    package var text: UnsafeRawBufferPointer

    /// Whether a scalar is plain and empty, `~` or `null`.
    package var isNull: Bool {
        guard kind == .scalar else { return false }
        return tag == .null || (isPlain && tag == .none && CoreSchema.isNull(text))
    }

    /// The scalar's text as a string.
    package var string: String { String(decoding: text, as: UTF8.self) }
}

/// Ends the reading of a text; ``YAMLEventReader/problem`` has the reason.
package struct YAMLStop: Error {}

extension YAMLEvent {
    /// Takes the tag of a node, and checks it and a scalar's size. Returns the mistake.
    mutating func check(tag name: String?, _ limits: YAMLLimits) -> String? {
        if kind == .scalar, text.count > limits.scalarBytes {
            tag = .mistaken
            text = UnsafeRawBufferPointer(start: nil, count: 0)
            return "this text is longer than \(limits.scalarBytes) bytes"
        }
        guard let name else { return nil }
        let known: Tag? =
            switch name {
            case "!": .nonSpecific
            case "tag:yaml.org,2002:str": .string
            case "tag:yaml.org,2002:int": .int
            case "tag:yaml.org,2002:float": .float
            case "tag:yaml.org,2002:bool": .bool
            case "tag:yaml.org,2002:null": .null
            case "tag:yaml.org,2002:seq": .sequence
            case "tag:yaml.org,2002:map": .mapping
            default: nil
            }
        guard let known else {
            let shown = name.hasPrefix("tag:yaml.org,2002:") ? "!!" + name.dropFirst(18) : name
            return "the tag \(shown.prefix(64)) has no meaning here; if the ! is part of the value, quote it"
        }
        let fits =
            switch (kind, known) {
            case (_, .nonSpecific), (.sequenceStart, .sequence), (.mappingStart, .mapping): true
            case (.sequenceStart, _), (.mappingStart, _), (_, .sequence), (_, .mapping): false
            default: true
            }
        guard fits else { return "the tag !!\(name.dropFirst(18)) doesn't fit this value" }
        if kind == .scalar { tag = known }
        return nil
    }
}
