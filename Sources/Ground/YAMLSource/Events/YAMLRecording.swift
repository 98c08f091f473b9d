/// Events kept for replay: nodes with an anchor, and the mappings of merge keys. Nothing else of a text is kept.
struct YAMLRecording: ~Copyable {
    /// The recorded events of one whole node.
    struct Span {
        /// Its first event.
        var start: Int
        /// One past its last event; 0 while the node is still open.
        var end: Int
    }

    /// One recorded event. An alias inside a recorded node is kept as a jump to its node.
    struct Entry {
        /// The event to replay.
        var event: YAMLEvent
        /// For an alias, its node.
        var alias: Span?
    }

    /// All kept events, in the order of the text.
    private(set) var entries: [Entry] = []
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Keeps an event and its text.
    mutating func append(_ event: YAMLEvent) {
        var event = event
        event.text = keep(event.text)
        entries.append(Entry(event: event))
    }

    /// Keeps an alias as a jump.
    mutating func append(aliasOf span: Span, for event: YAMLEvent) {
        var event = event
        event.text = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.append(Entry(event: event, alias: span))
    }

    /// Copies bytes to memory that doesn't move.
    private mutating func keep(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard !text.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        if chunks.last.map({ $0.count - used < text.count }) ?? true {
            chunks.append(.allocate(byteCount: max(text.count, 16 << 10), alignment: 16))
            used = 0
        }
        let place = UnsafeMutableRawBufferPointer(rebasing: chunks[chunks.count - 1][used..<used + text.count])
        place.copyMemory(from: text)
        used += text.count
        return UnsafeRawBufferPointer(place)
    }
}
