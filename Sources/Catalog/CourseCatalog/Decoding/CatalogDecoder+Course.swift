import FileSystem
import TextFormats
import YAMLSource

extension CatalogDecoder {
    /// Decodes an item of `courses`.
    mutating func course(_ start: YAMLEvent) throws(YAMLStop) {
        guard start.kind == .mappingStart else { return try reader.refuse(start, "a course is a mapping with an 'id'") }
        let before = draft.extent
        if part != nil { reader.beginPart() }
        try reader.hold(CatalogCost.course, at: start.position)
        var course = CatalogDraft.CourseGroup(group: .init(position: start.position))
        let errors = reader.mistakes.errorCount
        videoIDs.removeAll()
        // A course of few chapters shouldn't have to clear the memory of one of many.
        chapterIDs.removeAll(keepingCapacity: chapterIDs.capacity < 1024)
        var cursor = LevelCursor(.course, start: start.position)
        while let field = try nextField(&cursor) {
            let value = try reader.next()
            switch field {
            case .discover: course.discovery = try discovery(value)
            case .layout: course.layout = try layout(value)
            case .chapters:
                try list(value, "'chapters' takes a list of chapters") { decoder, item throws(YAMLStop) in
                    if let chapter = try decoder.chapter(item) { course.chapters.append(chapter) }
                }
            default:
                try groupField(field, value, into: &course.group)
                if field == .id, isKept(course) { try reader.keepPart(at: course.group.position) }
            }
        }
        finish(cursor)
        guard isKept(course) else { return try letGo(course, since: before) }
        try reader.endPart(at: course.group.position)
        // After a mistake, the missing parts may be those that couldn't be read.
        if reader.mistakes.errorCount == errors { warnOfEmptiness(course) }
        draft.courses.append(course)
    }

    /// Whether a course isn't another shard's. One without an id, which is a mistake, isn't.
    private func isKept(_ course: CatalogDraft.CourseGroup) -> Bool {
        course.group.id.isEmpty || part?.shard.has(course: course.group.id) ?? true
    }

    /// Ends a course of another shard, whose videos were checked like all others.
    private mutating func letGo(
        _ course: CatalogDraft.CourseGroup, since before: CatalogDraft.Extent
    ) throws(YAMLStop) {
        let (id, title, place) = (course.group.id, course.group.title ?? course.group.id, course.group.position)
        draft.others.append(
            .init(
                id: id, position: place, nameDigest: part?.nameDigest(title) ?? 0,
                unprovided: draft.unprovided(in: course)))
        draft.letGo(since: before)
        try reader.dropPart(
            holding: CatalogCost.otherCourse + 2 * YAMLCost.text(id.utf8.count), at: place)
    }

    private mutating func warnOfEmptiness(_ course: CatalogDraft.CourseGroup) {
        let isEmpty = course.group.videos.isEmpty && course.chapters.allSatisfy(\.videos.isEmpty)
        if isEmpty, course.discovery == nil {
            reader.mistakes.warning(
                at: reader.location(course.group.position), "the course has no videos; add some, or 'discover: true'")
        }
        for chapter in course.chapters where chapter.videos.isEmpty && !isEmpty {
            reader.mistakes.warning(at: reader.location(chapter.position), "the chapter has no videos")
        }
    }

    private mutating func chapter(_ start: YAMLEvent) throws(YAMLStop) -> CatalogDraft.Group? {
        guard start.kind == .mappingStart else {
            try reader.refuse(start, "a chapter is a mapping with an 'id'")
            return nil
        }
        try reader.hold(CatalogCost.chapter, at: start.position)
        var chapter = CatalogDraft.Group(position: start.position)
        var cursor = LevelCursor(.chapter, start: start.position)
        while let field = try nextField(&cursor) { try groupField(field, reader.next(), into: &chapter) }
        finish(cursor)
        if !chapter.id.isEmpty {
            if let first = chapterIDs[chapter.id] {
                duplicate("chapter", chapter.id, at: chapter.position, first: first)
            } else {
                chapterIDs[chapter.id] = chapter.position
            }
        }
        return chapter
    }

    private mutating func groupField(
        _ field: CatalogField, _ value: YAMLEvent, into group: inout CatalogDraft.Group
    ) throws(YAMLStop) {
        switch field {
        case .id:
            guard let id = reader.identifier(value) else { return try reader.skip(value) }
            try reader.hold(3 * YAMLCost.text(id.count), at: value.position)
            group.writtenID = String(decoding: id, as: UTF8.self)
            group.id = IdentifierSpelling.other(than: id) ?? group.writtenID
            group.position = value.position
        case .title: group.title = try reader.textOrSkip(value, "'title'")
        case .description: group.description = try reader.textOrSkip(value, "'description'")
        case .season: group.season = try reader.number(value, "'season'", in: 0...CatalogBounds.number)
        case .videos:
            let first = draft.records.count
            try list(value, "'videos' takes a list of videos") { decoder, item throws(YAMLStop) in
                try decoder.video(item)
            }
            group.videos = first..<draft.records.count
        default: try setting(field, value, into: &group.own)
        }
    }

    /// Decodes an item of `videos`.
    private mutating func video(_ start: YAMLEvent) throws(YAMLStop) {
        let textBefore = draft.text.cost
        var record = VideoRecord(position: start.position)
        var extras: VideoExtras?
        if start.kind == .scalar {
            guard let id = reader.identifier(start) else { return }
            keep(id, of: &record, &extras)
            record.title = record.id
            return try add(record, extras, textBefore: textBefore)
        }
        guard start.kind == .mappingStart else {
            return try reader.refuse(start, "a video is an id, or a mapping with an 'id'")
        }
        var own: OwnSettings?
        var cursor = LevelCursor(.video, start: start.position)
        while let field = try nextField(&cursor) {
            let value = try reader.next()
            switch field {
            case .id:
                guard let id = try reader.identifierOrSkip(value) else { continue }
                keep(id, of: &record, &extras)
                record.position = value.position
            case .title: if try reader.isText(value, "'title'") { record.title = draft.text.keep(value.text) }
            case .description:
                guard let text = try reader.textOrSkip(value, "'description'") else { continue }
                extras = extras ?? VideoExtras()
                extras?.description = text
            case .date:
                guard let date = try date(value) else { continue }
                extras = extras ?? VideoExtras()
                extras?.date = date
            case .episode:
                let number = try reader.number(value, "'episode'", in: 0...CatalogBounds.number)
                record.episode = Int32(clamping: number ?? -1)
            case .cover: if try reader.isCover(value) { record.cover = draft.text.keep(value.text) }
            case .priority:
                guard let priority = try priority(value) else { continue }
                record.priority = Int32(priority)
                record.hasPriority = true
            case .size: record.size = try reader.size(value) ?? -1
            case .sha256: record.digest = try digest(value) ?? record.digest
            case .checksums, .subtitleFiles, .attachments:
                var own = extras ?? VideoExtras()
                switch field {
                case .checksums: own.checksums = try checksums(value)
                case .subtitleFiles: own.subtitleFiles = try subtitleFiles(value)
                default: own.attachments = try attachments(value)
                }
                extras = own.isEmpty ? nil : own
            default:
                var settings = own ?? OwnSettings()
                own = nil
                try setting(field, value, into: &settings)
                own = settings
            }
        }
        finish(cursor)
        if let own { try keep(own, of: &record) }
        if record.title.count == 0 { record.title = record.id }
        try add(record, extras, textBefore: textBefore)
    }

    private mutating func subtitleFiles(_ value: YAMLEvent) throws(YAMLStop) -> [SubtitleFile] {
        var files: [SubtitleFile] = []
        try list(value, "'subtitle_files' takes a list of {lang, url}") { decoder, item throws(YAMLStop) in
            if let pair = try decoder.sideFile(.subtitleFile, item) {
                files.append(SubtitleFile(language: pair.label, url: pair.url))
            }
        }
        return files
    }

    private mutating func attachments(_ value: YAMLEvent) throws(YAMLStop) -> [Attachment] {
        var files: [Attachment] = []
        try list(value, "'attachments' takes a list of {title, url}") { decoder, item throws(YAMLStop) in
            if let pair = try decoder.sideFile(.attachment, item) {
                files.append(Attachment(title: pair.label, url: pair.url))
            }
        }
        return files
    }

    private mutating func keep(_ own: OwnSettings, of record: inout VideoRecord) throws(YAMLStop) {
        try reader.hold(own.isParametersOnly ? CatalogCost.parameters : CatalogCost.settings, at: record.position)
        record.settings = UInt32(clamping: draft.videoSettings.count)
        draft.videoSettings.append(OwnVideoSettings(own))
    }

    /// Keeps an id in its one spelling, with the written one if that differs.
    private mutating func keep(
        _ id: UnsafeRawBufferPointer, of record: inout VideoRecord, _ extras: inout VideoExtras?
    ) {
        guard let other = IdentifierSpelling.other(than: id) else {
            record.id = draft.text.keep(id)
            return
        }
        record.id = draft.text.keep(other)
        extras = extras ?? VideoExtras()
        extras?.writtenID = String(decoding: id, as: UTF8.self)
    }

    /// - Parameter textBefore: Memory of the texts before the video was read.
    private mutating func add(
        _ record: VideoRecord, _ extras: VideoExtras?, textBefore: Int
    ) throws(YAMLStop) {
        var record = record
        try reader.hold(CatalogCost.video + draft.text.cost - textBefore, at: record.position)
        if let extras {
            try reader.hold(
                CatalogCost.extras + YAMLCost.text(extras.writtenID?.utf8.count ?? 0), at: record.position)
            record.extras = UInt32(clamping: draft.extras.count)
            draft.extras.append(extras)
        }
        draft.records.append(record)
        guard record.id.count > 0 else { return }
        let index = draft.records.count - 1
        guard let first = videoIDs.insert(index, records: draft.records, text: draft.text) else { return }
        duplicate(
            "video", draft.text.string(record.id), at: record.position, first: draft.records[first].position)
    }

    /// Reports a duplicate id. After an alias both have the same position, and the alias's is reported instead.
    private mutating func duplicate(_ noun: String, _ id: String, at place: SourcePosition, first: SourcePosition) {
        let here = place == first ? reader.aliasPosition ?? place : place
        reader.mistakes.error(
            at: reader.location(here),
            "the \(noun) id '\(id.excerpt)' is used twice in this course, first on line \(first.line); ids must differ")
    }
}

extension CatalogDecoder {
    /// Decodes `discover`: a truth value or a mapping; nil for `false`, and after a mistake.
    mutating func discovery(_ value: YAMLEvent) throws(YAMLStop) -> Discovery? {
        guard value.kind == .mappingStart else {
            if value.kind == .sequenceStart {
                try reader.refuse(
                    value, "'discover' takes true, or a mapping with include, exclude, newest, every or hand_over")
                return nil
            }
            return try reader.flag(value, "'discover'") == true ? Discovery() : nil
        }
        var selection = CatalogDraft.Selection()
        var cursor = LevelCursor(.discovery, start: value.position)
        while let field = try nextField(&cursor) { try selectionField(field, reader.next(), into: &selection) }
        finish(cursor)
        return Discovery(selection)
    }

    /// Decodes a key of `discover`; those of `courses_of` with the same meaning have the same names.
    private mutating func selectionField(
        _ field: CatalogField, _ value: YAMLEvent, into selection: inout CatalogDraft.Selection
    ) throws(YAMLStop) {
        switch field {
        case .includedTitles: selection.include = try titlePatterns(value, "'include'")
        case .excludedTitles: selection.exclude = try titlePatterns(value, "'exclude'")
        case .newest: selection.newest = try number(value)
        case .every: selection.every = try interval(value)
        case .handOver: selection.handOver = try providers(value)
        default: try reader.skip(value)
        }
    }

    /// Decodes `courses_of`: one source, or a list of them.
    mutating func courseSources(_ value: YAMLEvent) throws(YAMLStop) {
        if value.kind == .mappingStart { return try courseSource(value) }
        try list(value, "'courses_of' takes a mapping with a 'provider', or a list of them") {
            decoder, item throws(YAMLStop) in
            try decoder.courseSource(item)
        }
    }

    private mutating func courseSource(_ start: YAMLEvent) throws(YAMLStop) {
        guard start.kind == .mappingStart else {
            return try reader.refuse(start, "an item of 'courses_of' is a mapping with a 'provider'")
        }
        try reader.hold(CatalogCost.course, at: start.position)
        var source = CatalogDraft.SourceDraft(position: start.position)
        var cursor = LevelCursor(.courseSource, start: start.position)
        while let field = try nextField(&cursor) {
            let value = try reader.next()
            switch field {
            case .includedTitles, .excludedTitles, .newest, .every:
                try selectionField(field, value, into: &source.selection)
            case .prefix: source.prefix = try prefix(value) ?? ""
            case .discover: source.discovery = try discovery(value)
            case .layout: source.layout = try layout(value)
            default: try setting(field, value, into: &source.own)
            }
        }
        finish(cursor)
        draft.sources.append(source)
    }

    private mutating func prefix(_ value: YAMLEvent) throws(YAMLStop) -> String? {
        guard let text = try reader.textOrSkip(value, "'prefix'") else { return nil }
        guard text.utf8.count <= CatalogBounds.prefix, !text.utf8.contains(0) else {
            reader.mistake(value, "'prefix' takes at most \(CatalogBounds.prefix) bytes, without NUL")
            return nil
        }
        return text
    }

    /// Decodes `hand_over`: providers that a listing may name.
    private mutating func providers(_ value: YAMLEvent) throws(YAMLStop) -> [ProviderReference] {
        var providers: [ProviderReference] = []
        func add(_ decoder: inout CatalogDecoder, _ item: YAMLEvent) throws(YAMLStop) {
            guard let provider = try decoder.provider(item, "a provider in 'hand_over'") else { return }
            providers.append(provider)
        }
        if value.kind == .scalar {
            try add(&self, value)
        } else {
            try list(value, "'hand_over' takes names of providers, such as [opencast]", add)
        }
        return providers
    }

    private mutating func titlePatterns(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> [Discovery.Pattern] {
        var patterns: [Discovery.Pattern] = []
        func add(_ decoder: inout CatalogDecoder, _ item: YAMLEvent) throws(YAMLStop) {
            guard let text = try decoder.reader.textOrSkip(item, "a pattern in \(key)") else { return }
            patterns.append(Discovery.Pattern(text: text, location: decoder.reader.location(item.position)))
        }
        if value.kind == .scalar {
            try add(&self, value)
        } else {
            try list(value, "\(key) takes patterns on titles, such as [\"Lecture *\"]", add)
        }
        return patterns
    }

    private mutating func number(_ value: YAMLEvent) throws(YAMLStop) -> Int? {
        guard value.kind == .scalar, value.isPlain, let number = CoreSchema.integer(value.text),
            (1...CatalogBounds.newest).contains(number)
        else {
            try reader.refuse(value, "'newest' takes a number from 1 to \(CatalogBounds.newest)")
            return nil
        }
        return number
    }

    private mutating func interval(_ value: YAMLEvent) throws(YAMLStop) -> Duration? {
        let text = value.kind == .scalar ? value.string : ""
        let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), (2...5).contains(text.utf8.count),
            text.utf8.first != UInt8(ascii: "0"), text.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text.dropLast())
        else {
            let isNumber = (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let meant = isNumber && !text.hasPrefix("0") ? text + "h" : nil
            try reader.refuse(value, "'every' takes a time such as 30m, 6h or 7d", suggestion: meant)
            return nil
        }
        return .seconds(number * unit)
    }

    /// A regular expression for what ``interval(_:)`` takes.
    static let intervalPattern = "^[1-9][0-9]{0,3}[mhd]$"
}
