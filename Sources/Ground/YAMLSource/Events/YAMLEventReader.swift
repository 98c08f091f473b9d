internal import CLibYAML

/// Reads a YAML text event by event, with its bounds, anchors and aliases (merge keys: ``nextKey(_:)``).
///
/// A text that can't continue throws ``YAMLStop`` and sets ``problem``. Mistakes in single values (an unknown alias, an
/// invalid tag) are collected in ``mistakes`` and reading continues.
///
/// libyaml takes quadratic time in the nesting of flow collections and doesn't limit aliases; so depth is bounded here,
/// at every event, and so is the number of nodes after aliases are resolved.
package struct YAMLEventReader: ~Copyable {
    /// The file's name in locations.
    package let source: SourceName
    /// The reason why reading stopped.
    package internal(set) var problem: YAMLProblem?
    /// Mistakes in single values, in the order in which they were found.
    package var mistakes = DiagnosticList()
    /// Nodes delivered so far, including those of aliases.
    package internal(set) var nodeCount = 0

    /// Bytes of memory of kept values, by the estimates of ``YAMLCost``.
    package internal(set) var heldBytes = 0
    /// Of these, what is kept for aliases and merge keys: it stays when a part is let go.
    var lastingBytes = 0
    /// What was held before the part that is being read, and whether its values are kept; nil outside of parts.
    var part: (held: Int, lasting: Int, isKept: Bool)?

    /// libyaml's state.
    let parser: UnsafeMutablePointer<yaml_parser_t>
    /// libyaml's input.
    let input: UnsafeMutablePointer<YAMLInput>
    private let raw: UnsafeMutablePointer<yaml_event_t>
    /// The bounds.
    let limits: YAMLLimits
    /// The number of open collections.
    var depth = 0
    /// Bytes of scalars that aliases and merge keys repeated.
    var repeatedBytes = 0
    /// The values of recorded nodes that have been repeated, by their first event.
    var repeated: [Int: RepeatedNode] = [:]

    /// Events kept for replay.
    var recording = YAMLRecording()
    /// Merged mappings that are being kept.
    var captures = 0
    private var spans: [YAMLRecording.Span] = []
    private var anchors: [String: Int] = [:]
    /// The anchored collections that are still open, each with its depth.
    private var open: [(depth: Int, span: Int)] = []
    /// The current replays, the innermost last.
    var frames: [Frame] = []

    /// A recorded node that is being replayed.
    struct Frame {
        /// Its first recorded event.
        let start: Int
        /// One past its last one.
        let end: Int
        let alias: SourcePosition
        /// The next recorded event.
        var next: Int

        /// The replay of a node for an alias at a position.
        init(_ span: YAMLRecording.Span, alias: SourcePosition) {
            (start, end, next, self.alias) = (span.start, span.end, span.start, alias)
        }
    }

    /// A reader of `bytes`, which it copies.
    package init(bytes: UnsafeRawBufferPointer, source: SourceName, limits: YAMLLimits) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        copy.copyMemory(from: bytes)
        var input = YAMLInput()
        input.base = UnsafeRawPointer(copy.baseAddress)
        input.count = bytes.count
        self.init(input, source: source, limits: limits)
    }

    /// A reader of a file from its current offset to its end. The caller keeps the descriptor.
    package init(descriptor: Int32, source: SourceName, limits: YAMLLimits) {
        var input = YAMLInput()
        input.descriptor = descriptor
        self.init(input, source: source, limits: limits)
    }

    private init(_ start: YAMLInput, source: SourceName, limits: YAMLLimits) {
        self.source = source
        self.limits = limits
        parser = .allocate(capacity: 1)
        raw = .allocate(capacity: 1)
        input = .allocate(capacity: 1)
        var start = start
        start.limit = limits.bytes
        input.initialize(to: start)
        raw.initialize(to: yaml_event_t())
        guard yaml_parser_initialize(parser) == 1 else { fatalError("yaml_parser_initialize: out of memory") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input(
            parser,
            { data, buffer, size, filled in
                guard let data, let buffer, let filled else { return 0 }
                let input = data.assumingMemoryBound(to: YAMLInput.self)
                guard let count = input.pointee.fill(buffer, capacity: size) else { return 0 }
                filled.pointee = count
                return 1
            }, input)
    }

    deinit {
        yaml_event_delete(raw)
        yaml_parser_delete(parser)
        input.pointee.base?.deallocate()
        raw.deallocate()
        parser.deallocate()
        input.deallocate()
    }

    /// Bytes taken from the text so far.
    package var bytesRead: Int { input.pointee.offset }

    /// The position of the outermost alias of the last event; nil without one.
    package var aliasPosition: SourcePosition? { frames.first?.alias }

    /// A position in this text.
    package func location(_ position: SourcePosition) -> SourceLocation { SourceLocation(source, position) }

    /// The next event. Pointers of the previous one become invalid.
    package mutating func next() throws(YAMLStop) -> YAMLEvent {
        let event = frames.isEmpty ? try live() : try replayed()
        switch event.kind {
        case .scalar: nodeCount += 1
        case .sequenceStart, .mappingStart:
            nodeCount += 1
            depth += 1
            if depth > limits.depth {
                try stop(.limit, at: event.position, "values are nested deeper than \(limits.depth) levels")
            }
        case .sequenceEnd, .mappingEnd: depth -= 1
        default: return event
        }
        if nodeCount > limits.nodes { try stop(.limit, at: aliasPosition ?? event.position, limits.tooMany) }
        return event
    }

    /// Ends the reading.
    mutating func stop(_ kind: YAMLProblem.Kind, at position: SourcePosition, _ message: String) throws(YAMLStop)
        -> Never
    {
        problem = YAMLProblem(kind, at: position, message)
        throw YAMLStop()
    }

    /// Checks a node's tag and a scalar's size.
    private mutating func check(_ event: inout YAMLEvent, tag: UnsafeMutablePointer<UInt8>?) {
        guard let mistake = event.check(tag: tag.map { String(cString: $0) }, limits) else { return }
        mistakes.error(at: location(event.position), mistake)
    }

    /// Counts memory of kept values, and ends the reading if it is too much.
    package mutating func hold(_ bytes: Int, at position: SourcePosition) throws(YAMLStop) {
        heldBytes += bytes
        let isPartTooLarge = part.map { heldBytes - $0.held > limits.partMemory } ?? false
        guard isPartTooLarge || (part?.isKept != false && heldBytes > limits.memory) else { return }
        try stop(.limit, at: aliasPosition ?? position, limits.tooLarge)
    }

    /// Counts memory of what aliases and merge keys repeat, which is kept to the end.
    mutating func holdLasting(_ bytes: Int, at position: SourcePosition) throws(YAMLStop) {
        lastingBytes += bytes
        try hold(bytes, at: position)
    }

    // MARK: Parts

    /// Begins a part of the text whose values the caller may let go. Until it has decided, what it holds for them
    /// counts by itself, and in any case against the bound of a part.
    package mutating func beginPart() { part = (heldBytes, lastingBytes, false) }

    /// Keeps the values of the part: they count with everything before, too.
    package mutating func keepPart(at position: SourcePosition) throws(YAMLStop) {
        part?.isKept = true
        try hold(0, at: position)
    }

    /// Ends a part whose values are kept. Without effect outside of a part.
    package mutating func endPart(at position: SourcePosition) throws(YAMLStop) {
        part = nil
        try hold(0, at: position)
    }

    /// Ends the part whose values the caller has let go, and counts instead what it holds of it.
    package mutating func dropPart(holding bytes: Int, at position: SourcePosition) throws(YAMLStop) {
        if let part { heldBytes = part.held + lastingBytes - part.lasting }
        part = nil
        try hold(bytes, at: position)
    }

    // MARK: Recorded nodes

    private mutating func replayed() throws(YAMLStop) -> YAMLEvent {
        while let top = frames.last {
            guard top.next < top.end else {
                frames.removeLast()
                continue
            }
            frames[frames.count - 1].next += 1
            let entry = recording.entries[top.next]
            guard let span = entry.alias else {
                try count(bytes: entry.event.text.count)
                return entry.event
            }
            frames.append(Frame(span, alias: entry.event.position))
        }
        return try live()
    }

    /// Counts text that exists only because of a repetition.
    mutating func count(bytes: Int) throws(YAMLStop) {
        repeatedBytes += bytes
        guard repeatedBytes > limits.bytes else { return }
        try stop(
            .limit, at: aliasPosition ?? .wholeFile,
            "aliases expand to more than \(limits.bytes) bytes of text; repeat less")
    }

    // MARK: libyaml's events

    private mutating func live() throws(YAMLStop) -> YAMLEvent {
        while true {
            yaml_event_delete(raw)
            guard yaml_parser_parse(parser, raw) == 1 else {
                problem = input.pointee.problem(of: parser.pointee, limits)
                throw YAMLStop()
            }
            input.pointee.lastEvent = input.pointee.offset
            var event = YAMLEvent(
                kind: .streamEnd, isPlain: false, tag: .none,
                position: SourcePosition(raw.pointee.start_mark),
                text: UnsafeRawBufferPointer(start: nil, count: 0))
            var anchor: UnsafeMutablePointer<UInt8>?
            switch raw.pointee.type {
            case YAML_SCALAR_EVENT:
                let scalar = raw.pointee.data.scalar
                event.kind = .scalar
                event.isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
                event.text = UnsafeRawBufferPointer(start: scalar.value, count: scalar.length)
                anchor = scalar.anchor
                if scalar.tag != nil || scalar.length > limits.scalarBytes { check(&event, tag: scalar.tag) }
            case YAML_MAPPING_START_EVENT:
                event.kind = .mappingStart
                anchor = raw.pointee.data.mapping_start.anchor
                if let tag = raw.pointee.data.mapping_start.tag { check(&event, tag: tag) }
            case YAML_SEQUENCE_START_EVENT:
                event.kind = .sequenceStart
                anchor = raw.pointee.data.sequence_start.anchor
                if let tag = raw.pointee.data.sequence_start.tag { check(&event, tag: tag) }
            case YAML_MAPPING_END_EVENT: event.kind = .mappingEnd
            case YAML_SEQUENCE_END_EVENT: event.kind = .sequenceEnd
            case YAML_ALIAS_EVENT:
                if let event = try follow(event) { return event }
                continue
            case YAML_DOCUMENT_START_EVENT:
                event.kind = .documentStart
                anchors.removeAll()
            case YAML_DOCUMENT_END_EVENT: event.kind = .documentEnd
            case YAML_STREAM_END_EVENT: event.kind = .streamEnd
            default: continue
            }
            if anchor != nil || isRecording { try record(event, anchor: anchor) }
            return event
        }
    }

    /// Whether events that libyaml delivers are kept.
    var isRecording: Bool { captures > 0 || !open.isEmpty }

    private mutating func record(
        _ event: YAMLEvent, anchor: UnsafeMutablePointer<UInt8>?
    ) throws(YAMLStop) {
        let start = recording.entries.count
        try holdLasting(YAMLCost.event + event.text.count, at: event.position)
        recording.append(event)
        let isWhole = event.kind == .scalar
        if let anchor {
            let name = String(cString: anchor)
            try holdLasting(YAMLCost.anchor + YAMLCost.text(name.utf8.count), at: event.position)
            anchors[name] = spans.count
            // The depth that the collection will have once `next` has counted it.
            if !isWhole { open.append((depth + 1, spans.count)) }
            spans.append(YAMLRecording.Span(start: start, end: isWhole ? start + 1 : 0))
        }
        guard event.kind == .mappingEnd || event.kind == .sequenceEnd else { return }
        if let last = open.last, last.depth == depth {
            spans[last.span].end = recording.entries.count
            open.removeLast()
        }
    }

    /// Begins the replay of an alias's node. Returns an event only in place of an unknown alias.
    private mutating func follow(_ event: YAMLEvent) throws(YAMLStop) -> YAMLEvent? {
        let name = raw.pointee.data.alias.anchor.map { String(cString: $0) } ?? ""
        if let index = anchors[name], spans[index].end > 0 {
            let span = spans[index]
            if isRecording {
                try holdLasting(YAMLCost.event, at: event.position)
                recording.append(aliasOf: span, for: event)
            }
            frames.append(Frame(span, alias: event.position))
            return try replayed()
        }
        if anchors[name] != nil {
            mistakes.error(
                at: location(event.position),
                "*\(name.prefix(64)) is inside &\(name.prefix(64)) and would repeat itself forever")
        } else {
            // Skipped among very many anchors, so that a file of wrong aliases doesn't take long.
            let near = anchors.count > 1000 ? nil : NearestName.suggestion(for: name, among: anchors.keys.sorted())
            mistakes.error(
                at: location(event.position), "there is no &\(name.prefix(64)) before this alias",
                suggestion: near.map { "*\($0)" })
        }
        var event = event
        event.kind = .scalar
        event.tag = .mistaken
        if isRecording { recording.append(event) }
        return event
    }
}
