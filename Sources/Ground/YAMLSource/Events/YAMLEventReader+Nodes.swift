extension YAMLEventReader {
    /// The whole node beginning with `event`, as a value. Mistakes in it are added to ``mistakes`` and become null.
    package mutating func node(_ event: YAMLEvent) throws(YAMLStop) -> YAMLNode {
        let place = location(event.position)
        try hold(YAMLCost.text(event.text.count), at: event.position)
        if event.kind == .scalar { return YAMLNode(scalar(event, at: place), at: place) }
        guard let frame = frames.last, frame.next == frame.start + 1 else { return try collection(event, at: place) }
        // An alias refers to this node: its value is made once and then shared, so that a bomb of aliases uses no
        // memory before the count of nodes stops it.
        if let known = repeated[frame.start], known.depth >= depth {
            frames[frames.count - 1].next = frame.end
            depth -= 1
            nodeCount += known.nodes
            if nodeCount > limits.nodes { try stop(.limit, at: aliasPosition ?? event.position, limits.tooMany) }
            try count(bytes: known.bytes)
            return known.node
        }
        let (depth, nodes, bytes) = (depth, nodeCount, repeatedBytes)
        let (held, lasting) = (heldBytes, lastingBytes)
        try hold(YAMLCost.repeatedNode, at: event.position)
        let node = try collection(event, at: place)
        lastingBytes = lasting + heldBytes - held
        repeated[frame.start] = RepeatedNode(
            node: node, depth: depth, nodes: nodeCount - nodes, bytes: repeatedBytes - bytes)
        return node
    }

    private mutating func collection(_ event: YAMLEvent, at place: SourceLocation) throws(YAMLStop) -> YAMLNode {
        switch event.kind {
        case .sequenceStart:
            try hold(YAMLCost.list, at: event.position)
            var nodes: [YAMLNode] = []
            var item = try next()
            while item.kind != .sequenceEnd {
                try hold(YAMLCost.element, at: item.position)
                nodes.append(try node(item))
                item = try next()
            }
            return YAMLNode(.sequence(nodes), at: place)
        default:
            return YAMLNode(.mapping(try mapping()), at: place)
        }
    }

    /// The entries of a mapping whose start is the last event.
    package mutating func mapping() throws(YAMLStop) -> YAMLMapping {
        var entries: [YAMLMapping.Entry] = []
        // Built only for a mapping with many keys.
        var index: [String: Int]?
        var cursor = YAMLMappingCursor()
        while let key = try nextKey(&cursor) {
            let name = key.string
            let keyLocation = location(key.position)
            let existing = index.map { $0[name] } ?? entries.firstIndex { $0.key == name }
            if let existing {
                if !cursor.isMerged {
                    mistakes.duplicateKey(name, at: keyLocation, firstLine: entries[existing].keyLocation.line)
                }
                try skip(next())
                continue
            }
            try hold(
                YAMLCost.text(name.utf8.count) + (index == nil ? YAMLCost.entry : YAMLCost.indexedEntry),
                at: key.position)
            index?[name] = entries.count
            entries.append(.init(key: name, keyLocation: keyLocation, value: try node(next())))
            if index == nil, entries.count > 16 {
                index = Dictionary(entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
        return YAMLMapping(entries)
    }

    /// A scalar by the core schema. One that JSON can't represent is added to ``mistakes`` and is null.
    package mutating func scalar(_ event: YAMLEvent, at place: SourceLocation) -> YAMLValue {
        switch CoreSchema.resolve(event) {
        case .value(let value): return value
        case .tooBig:
            mistakes.error(
                at: place,
                "\(shown(event)) is an integer beyond ±2^53, which JSON readers round; quote it to keep it as text")
        case .notFinite:
            mistakes.error(
                at: place, "\(shown(event)) is a number that JSON can't express; quote it to keep it as text")
        case .mismatch(let kind):
            mistakes.error(
                at: place, "the tag asks for \(kind), but this is \(shown(event)); quote it to keep it as text")
        }
        return .null
    }

    /// The beginning of a scalar, for messages.
    private func shown(_ event: YAMLEvent) -> String {
        event.text.count <= 40 ? event.string : String(event.string.prefix(40)) + "…"
    }
}

/// The value of a node that aliases repeat, and the cost of one more repetition.
struct RepeatedNode {
    let node: YAMLNode
    /// The depth at which it was found to be valid.
    let depth: Int
    /// Nodes inside it.
    let nodes: Int
    /// Bytes of the scalars in it.
    let bytes: Int
}

extension DiagnosticList {
    /// Adds the error for a key that occurs twice in a mapping.
    package mutating func duplicateKey(_ key: String, at location: SourceLocation, firstLine: Int) {
        error(
            at: location,
            "the key '\(key.prefix(64))' is used twice in this mapping, first on line \(firstLine); keep one of them")
    }
}
