/// One step through a YAML text. Aliases are already followed: what they stand for appears in their place.
///
/// `text` points into the reader's buffers and is valid until the reader's next step.
package struct YAMLEvent {
    /// What begins, ends or is here.
    package enum Kind: UInt8 {
        /// A document's or collection's two ends, a scalar, and the end of all.
        case streamEnd, documentStart, documentEnd, scalar, sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }

    /// The tag of a node, as far as the core schema knows it.
    package enum Tag: UInt8 {
        /// No tag: a plain scalar is resolved by its form.
        case none
        /// `!`: text, whatever it looks like.
        case nonSpecific
        /// What the core schema names.
        case string, int, float, bool, null, sequence, mapping
        /// The node was refused and reported already; nobody needs to say more about it.
        case mistaken
    }

    /// What begins, ends or is here.
    package var kind: Kind
    /// Whether a scalar has no quotes and isn't a block scalar.
    package var isPlain: Bool
    /// The node's tag.
    package var tag: Tag
    /// Where it begins; for what an alias brought in, where that is written.
    package var position: SourcePosition
    /// A scalar's text in UTF-8, after unescaping; empty for anything else.
    package var text: UnsafeRawBufferPointer

    /// Whether a scalar is the plain empty one, `~` or `null`.
    package var isNull: Bool {
        guard kind == .scalar else { return false }
        return tag == .null || (isPlain && tag == .none && CoreSchema.isNull(text))
    }

    /// The scalar's text as a string.
    package var string: String { String(decoding: text, as: UTF8.self) }
}

/// Ends the reading of a text; ``YAMLEventReader/problem`` says why.
package struct YAMLStop: Error {}

extension YAMLEvent {
    /// Takes the tag that is written at a node, and checks it and a scalar's size. Returns what is wrong with them.
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
