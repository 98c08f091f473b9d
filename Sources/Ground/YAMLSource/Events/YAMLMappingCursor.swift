/// The progress of reading one mapping: its own keys first, then those of its merge keys.
package struct YAMLMappingCursor {
    /// Whether the last key came through a merge key; one that the mapping already has must be skipped then.
    package fileprivate(set) var isMerged = false
    /// The mappings of the current mapping's merge keys, the nearest first.
    fileprivate var merges: [Merge] = []
    /// The mappings still to be merged, the nearest last.
    fileprivate var pending: [Merge] = []

    fileprivate struct Merge {
        var span: YAMLRecording.Span
        var position: SourcePosition
    }

    /// The cursor of a mapping whose start is the last event.
    package init() {}
}

extension YAMLEventReader {
    /// The next key of a mapping; nil at its end. The caller reads or skips the value before the next call.
    ///
    /// The mapping's own keys come first. Then come those of its merge keys (`<<`), nearest first, with `isMerged` set:
    /// of several equal keys the first one counts, according to <https://yaml.org/type/merge.html>.
    package mutating func nextKey(_ cursor: inout YAMLMappingCursor) throws(YAMLStop) -> YAMLEvent? {
        while true {
            let key = try next()
            switch key.kind {
            case .scalar where key.isPlain && key.tag == .none && CoreSchema.equals(key.text, "<<"):
                try merge(into: &cursor, at: key.position)
            case .scalar where key.tag == .mistaken:
                try skip(next())
            case .scalar:
                return key
            case .mappingEnd:
                // Merge keys of a merged mapping come right after its own keys.
                cursor.pending.append(contentsOf: cursor.merges.reversed())
                cursor.merges.removeAll()
                guard let merge = cursor.pending.popLast() else { return nil }
                cursor.isMerged = true
                frames.append(Frame(merge.span, alias: merge.position))
                // The start of the merged mapping.
                _ = try next()
            default:
                mistakes.error(at: location(key.position), "a key must be text")
                try skip(key)
                try skip(next())
            }
        }
    }

    /// Skips the rest of a node beginning with `event`.
    package mutating func skip(_ event: YAMLEvent) throws(YAMLStop) {
        guard event.kind == .mappingStart || event.kind == .sequenceStart else { return }
        var level = 1
        while level > 0 {
            switch try next().kind {
            case .mappingStart, .sequenceStart: level += 1
            case .mappingEnd, .sequenceEnd: level -= 1
            default: break
            }
        }
    }

    private mutating func merge(into cursor: inout YAMLMappingCursor, at key: SourcePosition) throws(YAMLStop) {
        let value = try next()
        func refuse(_ event: YAMLEvent) {
            guard event.tag != .mistaken else { return }
            mistakes.error(at: location(event.position), "<< takes a mapping, or a list of mappings")
        }
        switch value.kind {
        case .mappingStart:
            cursor.merges.append(try capture(value))
        case .sequenceStart:
            var item = try next()
            while item.kind != .sequenceEnd {
                if item.kind == .mappingStart {
                    cursor.merges.append(try capture(item))
                } else {
                    refuse(item)
                    try skip(item)
                }
                item = try next()
            }
        default: refuse(value)
        }
    }

    /// Skips a node and keeps it for replay.
    private mutating func capture(_ event: YAMLEvent) throws(YAMLStop) -> YAMLMappingCursor.Merge {
        let position = aliasPosition ?? event.position
        try hold(YAMLCost.merge, at: position)
        if let level = frames.indices.last {
            let start = frames[level].next - 1
            try skip(event)
            return .init(span: .init(start: start, end: frames[level].next), position: position)
        }
        // An event inside an anchored node has been recorded already.
        if !isRecording { recording.append(event) }
        let start = recording.entries.count - 1
        captures += 1
        defer { captures -= 1 }
        try skip(event)
        return .init(span: .init(start: start, end: recording.entries.count), position: position)
    }
}
