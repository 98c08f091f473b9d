import TextFormats
import YAMLSource

/// Decodes one catalog file in one pass over its events, without the files that it includes.
///
/// Mistakes are added to the reader's `mistakes` and decoding continues after them. Settings are resolved at the end,
/// since `defaults` may come after the courses.
struct CatalogDecoder: ~Copyable {
    /// The events, and the mistakes found so far.
    var reader: YAMLEventReader
    /// What was found so far.
    var draft = CatalogDraft()

    /// The video ids of the current course.
    var videoIDs = IdentifierTable()
    /// The chapter ids of the current course, with their positions.
    var chapterIDs: [String: SourcePosition] = [:]
    private let tables = CatalogLevel.allCases.map { KeyTable($0) }
    /// For each level and field the line of the key, for the message about a duplicate. Levels don't nest in
    /// themselves.
    private var keyLines = [UInt32](repeating: 0, count: CatalogLevel.allCases.count * CatalogField.allCases.count)
    let folder: String
    /// What is kept of the courses; nil keeps all.
    let part: CatalogPart?

    /// A decoder of a file in `folder`.
    init(reader: consuming YAMLEventReader, folder: String, part: CatalogPart?) {
        self.reader = reader
        self.folder = folder
        self.part = part
    }

    mutating func decode() throws(YAMLStop) {
        var event = try reader.next()
        guard event.kind == .documentStart else {
            reader.mistakes.error(
                at: reader.location(SourcePosition(line: 1, column: 1)),
                "the file is empty; a catalog begins with 'version: 1'")
            return
        }
        event = try reader.next()
        if event.kind == .mappingStart {
            try catalog(event)
        } else {
            reader.mistake(event, "a catalog is a mapping that begins with 'version: 1', not \(event.noun)")
            try reader.skip(event)
        }
        _ = try reader.next()
        event = try reader.next()
        if event.kind == .documentStart {
            reader.mistake(event, "a second document begins here; a catalog is a single document")
        }
        draft.isComplete = true
    }

    private mutating func catalog(_ start: YAMLEvent) throws(YAMLStop) {
        var cursor = LevelCursor(.catalog, start: start.position)
        while let field = try nextField(&cursor) {
            let value = try reader.next()
            switch field {
            case .version: try version(value)
            case .name: draft.name = try reader.textOrSkip(value, "'name'")
            case .include: try include(value)
            case .layout: draft.layout = try layout(value)
            case .defaults:
                if value.kind == .mappingStart {
                    try defaults(value)
                } else {
                    draft.isProviderDoubtful = true
                    try reader.refuse(value, "'defaults' takes a mapping")
                }
            case .coursesOf: try courseSources(value)
            case .courses:
                try list(value, "'courses' takes a list of courses") { decoder, item throws(YAMLStop) in
                    try decoder.course(item)
                }
            default: try reader.skip(value)
            }
        }
        finish(cursor)
    }

    private mutating func version(_ value: YAMLEvent) throws(YAMLStop) {
        let number = value.kind == .scalar && value.isPlain ? CoreSchema.integer(value.text) : nil
        draft.isCatalog = number != nil
        guard number == 1 else {
            return try reader.refuse(value, "'version' takes the number 1")
        }
    }

    private mutating func defaults(_ start: YAMLEvent) throws(YAMLStop) {
        var cursor = LevelCursor(.defaults, start: start.position)
        var own = OwnSettings()
        while let field = try nextField(&cursor) { try setting(field, reader.next(), into: &own) }
        draft.defaults = own
    }

    private mutating func include(_ value: YAMLEvent) throws(YAMLStop) {
        if value.kind == .scalar { return try includeEntry(value) }
        try list(value, "'include' takes a list of file names") { decoder, item throws(YAMLStop) in
            if item.kind == .scalar {
                try decoder.includeEntry(item)
            } else {
                try decoder.reader.refuse(item, "an include is a file name")
            }
        }
    }

    private mutating func includeEntry(_ value: YAMLEvent) throws(YAMLStop) {
        guard let name = try reader.textOrSkip(value, "an include") else { return }
        if WebAddress.hasScheme(name.utf8) { return reader.mistake(value, "an include is a file, not a web address") }
        if name.utf8.contains(0) { return reader.mistake(value, "a file name can't contain the character NUL") }
        guard draft.includes.count < CatalogBounds.files else {
            return reader.mistake(value, "'include' has more than \(CatalogBounds.files) entries; use a pattern")
        }
        draft.includes.append(.init(pattern: name, location: reader.location(value.position)))
    }

    // MARK: Mappings

    /// The next known key of a mapping that hasn't occurred yet; nil at its end. Others are reported and skipped.
    mutating func nextField(_ cursor: inout LevelCursor) throws(YAMLStop) -> CatalogField? {
        while let key = try reader.nextKey(&cursor.yaml) {
            guard let field = tables[Int(cursor.level.rawValue)].field(key.text) else {
                unknownKey(key, in: cursor.level)
                try reader.skip(reader.next())
                continue
            }
            let bit = UInt64(1) << UInt64(field.rawValue)
            let slot = Int(cursor.level.rawValue) * CatalogField.allCases.count + Int(field.rawValue)
            guard cursor.seen & bit == 0 else {
                if !cursor.yaml.isMerged {
                    reader.mistakes.duplicateKey(
                        field.key, at: reader.location(key.position), firstLine: Int(keyLines[slot]))
                }
                try reader.skip(reader.next())
                continue
            }
            cursor.seen |= bit
            keyLines[slot] = key.position.line
            return field
        }
        return nil
    }

    /// Reports missing keys of a mapping.
    mutating func finish(_ cursor: borrowing LevelCursor) {
        for field in cursor.level.required where cursor.seen & (1 << UInt64(field.rawValue)) == 0 {
            let wanted = field == .version ? "'version: 1'" : "'\(field.key)'"
            reader.mistakes.error(
                at: reader.location(cursor.start), "\(cursor.level.noun) needs \(field == .id ? "an" : "a") \(wanted)")
        }
    }

    // MARK: Values

    /// Decodes a SHA-256 checksum into the draft's text; returns its position there.
    mutating func digest(_ value: YAMLEvent) throws(YAMLStop) -> UInt32? {
        guard value.kind == .scalar else {
            try reader.refuse(value, "'sha256' takes 64 hexadecimal digits")
            return nil
        }
        guard value.tag != .mistaken else { return nil }
        let text = value.text
        guard text.count == 64 else {
            reader.mistake(value, "'sha256' takes 64 hexadecimal digits, not \(text.count) characters")
            return nil
        }
        let place = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { bytes in
            for index in 0..<32 {
                guard let high = HexDigit.value(text[index * 2]), let low = HexDigit.value(text[index * 2 + 1]) else {
                    return TextRange?.none
                }
                bytes[index] = high << 4 | low
            }
            return draft.text.keep(UnsafeRawBufferPointer(bytes))
        }
        guard let place else {
            reader.mistake(value, "'sha256' takes hexadecimal digits only (0–9, a–f)")
            return nil
        }
        return place.offset
    }

    /// Decodes the items of a list one by one; a mistake for anything else.
    mutating func list(
        _ value: YAMLEvent, _ expectation: String,
        _ item: (inout CatalogDecoder, YAMLEvent) throws(YAMLStop) -> Void
    ) throws(YAMLStop) {
        guard value.kind == .sequenceStart else { return try reader.refuse(value, expectation) }
        var next = try reader.next()
        while next.kind != .sequenceEnd {
            try item(&self, next)
            next = try reader.next()
        }
    }

    private mutating func unknownKey(_ key: YAMLEvent, in level: CatalogLevel) {
        let name = key.text.count <= 64 ? key.string : String(key.string.prefix(64)) + "…"
        let names = level.fields.map(\.key)
        let suggestion = NearestName.suggestion(for: name, among: names)
        if suggestion == "provider" || suggestion == "defaults" { draft.isProviderDoubtful = true }
        let known = suggestion == nil ? "; it takes \(names.joined(separator: ", "))" : ""
        reader.mistakes.error(
            at: reader.location(key.position), "\(level.noun) has no key '\(name)'\(known)", suggestion: suggestion)
    }
}

/// The progress of decoding one mapping.
struct LevelCursor {
    /// Its level, which determines its keys.
    let level: CatalogLevel
    /// The start of the mapping.
    let start: SourcePosition
    /// The position among its keys, including merged ones.
    var yaml = YAMLMappingCursor()
    /// A bit for each field that has occurred.
    var seen: UInt64 = 0

    /// The cursor of a mapping that begins at a place.
    init(_ level: CatalogLevel, start: SourcePosition) {
        self.level = level
        self.start = start
    }
}

extension CatalogDecoder {
    /// What was decoded, without a copy.
    consuming func takeDraft() -> CatalogDraft { draft }
}
