import FileSystem
import PathLayout
import TextFormats
import YAMLSource

extension CatalogDecoder {
    /// Decodes the value of an inherited key.
    mutating func setting(
        _ field: CatalogField, _ value: YAMLEvent, into own: inout OwnSettings
    ) throws(YAMLStop) {
        switch field {
        case .provider:
            own.provider = try provider(value, "'provider'")
            if own.provider == nil { draft.isProviderDoubtful = true }
        case .priority: own.priority = try priority(value)
        case .quality: own.quality = try quality(value)
        case .audio: own.audio = try sound(value)
        case .subtitles: own.subtitles = try subtitles(value)
        case .streams: own.streams = try streams(value)
        case .live: own.live = try live(value)
        case .cover:
            guard try reader.isCover(value) else { return }
            try reader.hold(YAMLCost.text(value.text.count), at: value.position)
            own.cover = CoverSource(value.string, folder: folder)
        case .parameters:
            guard value.kind == .mappingStart else {
                return try reader.refuse(value, "'parameters' takes a mapping of keys and values")
            }
            own.parameters = Array(try reader.mapping())
        case .maxSize: own.maxSize = try reader.size(value, of: "max_size", least: 1)
        case .stripNumbers: own.stripsNumbers = try reader.flag(value, "'strip_numbers'")
        default: try reader.skip(value)
        }
    }

    mutating func priority(_ value: YAMLEvent) throws(YAMLStop) -> Int? {
        if value.kind == .scalar, value.tag != .mistaken, !value.isNull {
            if let number = value.isPlain ? CoreSchema.integer(value.text) : nil {
                if number.magnitude <= CatalogBounds.priority { return number }
            } else {
                switch value.string {
                case "low": return -10
                case "normal": return 0
                case "high": return 10
                default: break
                }
            }
        }
        let name = value.kind == .scalar ? value.string : ""
        try reader.refuse(
            value, "'priority' takes low, normal, high or an integer between ±1,000,000",
            suggestion: NearestName.suggestion(for: name, among: ["low", "normal", "high"]))
        return nil
    }

    private mutating func quality(_ value: YAMLEvent) throws(YAMLStop) -> [Quality]? {
        if value.kind == .scalar { return rendition(value).map { [$0] } }
        var wanted: [Quality] = []
        let count = reader.mistakes.errorCount
        try list(
            value,
            "'quality' takes best, worst, audio, a height such as 720p, a bitrate such as 2500k, or a list of these"
        ) {
            decoder, item throws(YAMLStop) in
            guard item.kind == .scalar else {
                return try decoder.reader.refuse(item, "a quality is one word, such as 720p")
            }
            guard let quality = decoder.rendition(item) else { return }
            try decoder.reader.hold(CatalogCost.item, at: item.position)
            wanted.append(quality)
        }
        if wanted.isEmpty, reader.mistakes.errorCount == count {
            reader.mistake(value, "'quality' is an empty list; remove it to get the best quality")
        }
        return wanted.isEmpty ? nil : wanted
    }

    private mutating func rendition(_ value: YAMLEvent) -> Quality? {
        guard value.tag != .mistaken else { return nil }
        let word = value.string
        if !value.isNull, let quality = Quality(word) { return quality }
        let isNumber = value.isPlain && CoreSchema.integer(value.text).map { $0 > 0 } ?? false
        let near = isNumber ? word + "p" : NearestName.suggestion(for: word, among: ["best", "worst", "audio"])
        reader.mistake(
            value,
            """
            '\(word.excerpt)' isn't a quality; use best, worst, audio, a height such as 720p or a bitrate such as \
            2500k
            """,
            suggestion: near)
        return nil
    }

    private mutating func subtitles(_ value: YAMLEvent) throws(YAMLStop) -> SubtitleSelection? {
        if value.kind == .scalar, value.tag != .mistaken {
            if value.string == "all" { return .all }
            if value.string == "none" { return SubtitleSelection.none }
        }
        return try languages(value, "'subtitles'", allowing: "all, none or languages, such as [en, de]").map {
            $0.isEmpty ? .none : .languages($0)
        }
    }

    private mutating func streams(_ value: YAMLEvent) throws(YAMLStop) -> StreamSelection? {
        let what = "'streams' takes all, or roles such as [presenter, presentation]"
        func role(_ decoder: inout CatalogDecoder, _ item: YAMLEvent) throws(YAMLStop) -> String? {
            guard let text = try decoder.reader.textOrSkip(item, "a role in 'streams'") else { return nil }
            guard text.utf8.count <= StreamSelection.roleBound else {
                decoder.reader.mistake(item, "a role in 'streams' has at most \(StreamSelection.roleBound) bytes")
                return nil
            }
            return text
        }
        if value.kind == .scalar {
            guard let role = try role(&self, value) else { return nil }
            return role == "all" ? .all : .roles([role])
        }
        var roles: [String] = []
        let count = reader.mistakes.errorCount
        try list(value, what) { decoder, item throws(YAMLStop) in
            guard let role = try role(&decoder, item) else { return }
            try decoder.reader.hold(CatalogCost.item + YAMLCost.text(role.utf8.count), at: item.position)
            if !roles.contains(role) { roles.append(role) }
        }
        if roles.isEmpty, reader.mistakes.errorCount == count {
            reader.mistake(value, "'streams' is an empty list; remove it to get the provider's main one")
        }
        return roles.isEmpty ? nil : .roles(roles)
    }

    private mutating func live(_ value: YAMLEvent) throws(YAMLStop) -> LiveStreams? {
        let words = LiveStreams.allCases.map(\.rawValue)
        let word = value.kind == .scalar && value.tag != .mistaken ? value.string : ""
        if let live = LiveStreams(rawValue: word) { return live }
        try reader.refuse(
            value, "'live' takes wait or record", suggestion: NearestName.suggestion(for: word, among: words))
        return nil
    }

    private mutating func sound(_ value: YAMLEvent) throws(YAMLStop) -> [String]? {
        if value.kind == .scalar, value.tag != .mistaken, value.string == "all" { return ["*"] }
        return try languages(value, "'audio'", allowing: "all or languages, such as [en, de]")
    }

    private mutating func languages(
        _ value: YAMLEvent, _ key: String, allowing what: String
    ) throws(YAMLStop) -> [String]? {
        if value.kind == .scalar { return language(value, key, allowing: what).map { [$0] } }
        var found: [String] = []
        guard value.kind == .sequenceStart else {
            try reader.refuse(value, "\(key) takes \(what)")
            return nil
        }
        try list(value, "") { decoder, item throws(YAMLStop) in
            guard item.kind == .scalar else {
                return try decoder.reader.refuse(item, "a language is one word, such as en")
            }
            guard let code = decoder.language(item, key, allowing: what) else { return }
            try decoder.reader.hold(CatalogCost.item + YAMLCost.text(code.utf8.count), at: item.position)
            found.append(code)
        }
        return found
    }

    private mutating func language(_ value: YAMLEvent, _ key: String, allowing what: String) -> String? {
        guard value.tag != .mistaken else { return nil }
        let code = value.string
        if !value.isNull, Self.isLanguage(code), code != "all", code != "none" { return code }
        let repaired = code.replacing("_", with: "-")
        reader.mistake(
            value, "'\(code.excerpt)' isn't a language; \(key) takes \(what)",
            suggestion: repaired != code && Self.isLanguage(repaired) ? repaired : nil)
        return nil
    }

    /// Decodes an item of `subtitle_files` or `attachments`.
    mutating func sideFile(
        _ level: CatalogLevel, _ start: YAMLEvent
    ) throws(YAMLStop) -> (label: String, url: String)? {
        guard start.kind == .mappingStart else {
            let keys = level.fields.map(\.key).joined(separator: ", ")
            try reader.refuse(start, "\(level.noun) is a mapping {\(keys)}")
            return nil
        }
        var label: String?
        var url: String?
        var cursor = LevelCursor(level, start: start.position)
        while let field = try nextField(&cursor) {
            let value = try reader.next()
            switch field {
            case .title: label = try reader.textOrSkip(value, "'title'")
            case .lang:
                if value.kind == .scalar {
                    label = language(value, "'lang'", allowing: "one language, such as en")
                } else {
                    try reader.refuse(value, "'lang' takes one language, such as en")
                }
            case .url:
                guard try reader.isText(value, "'url'") else { continue }
                if let mistaken = WebAddress.mistake(in: value.text) {
                    reader.mistake(value, "'url' takes an http or https URL; this \(mistaken)")
                } else {
                    url = value.string
                }
            default: try reader.skip(value)
            }
        }
        finish(cursor)
        guard let label, let url else { return nil }
        try reader.hold(
            CatalogCost.sideFile + YAMLCost.text(label.utf8.count) + YAMLCost.text(url.utf8.count), at: start.position)
        return (label, url)
    }

    /// The provider that a scalar names; nil after a mistake.
    mutating func provider(_ value: YAMLEvent, _ place: String) throws(YAMLStop) -> ProviderReference? {
        guard let name = try reader.textOrSkip(value, place) else { return nil }
        guard Self.isProviderName(name) else {
            reader.mistake(
                value, "'\(name.excerpt)' isn't a provider's name; use letters, digits, '.', '_' and '-' only")
            return nil
        }
        return ProviderReference(name: name, location: reader.location(value.position))
    }

    private static func isProviderName(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.utf8.first != UInt8(ascii: ".") && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// A regular expression equal to ``isProviderName(_:)``.
    static let providerPattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"

    /// Whether text has the form of a language tag (BCP 47, only its syntax).
    private static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, (2...8).contains(first.count), first.allSatisfy(isLetter) else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// A regular expression equal to ``isLanguage(_:)``, without `all` and `none`.
    static let languagePattern = "^(?!(all|none)$)[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"

    /// Decodes a layout. A mistake in a template is reported at its position.
    mutating func layout(_ value: YAMLEvent) throws(YAMLStop) -> PathLayout? {
        guard value.kind == .scalar else {
            let hint = value.kind == .mappingStart ? ", in quotes if it begins with {" : ""
            try reader.refuse(value, "'layout' takes a preset or a template\(hint)")
            return nil
        }
        guard try reader.isText(value, "'layout'") else { return nil }
        do throws(LayoutError) {
            return try PathLayout(value.string)
        } catch {
            // After the quote, if it has one.
            let offset = error.offset + (value.isPlain ? 0 : 1)
            let place = SourcePosition(line: Int(value.position.line), column: Int(value.position.column) + offset)
            reader.mistakes.error(
                at: reader.location(place), "'layout': \(error.message)", suggestion: error.suggestion)
            return nil
        }
    }

    /// Decodes a day, `2026-10-05`.
    mutating func date(_ value: YAMLEvent) throws(YAMLStop) -> String? {
        guard value.kind == .scalar, value.tag != .mistaken else {
            try reader.refuse(value, "'date' takes a day, such as 2026-10-05")
            return nil
        }
        let text = value.string
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let numbers = parts.map { part in
            part.allSatisfy { (0x30...0x39).contains($0) } ? Int(String(decoding: part, as: UTF8.self)) : nil
        }
        guard parts.map(\.count) == [4, 2, 2], let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else {
            try reader.refuse(value, "'date' takes a day, such as 2026-10-05")
            return nil
        }
        try reader.hold(YAMLCost.text(value.text.count), at: value.position)
        return text
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// The checksums of a video's file.
extension CatalogDecoder {
    /// Decodes `checksums`: a mapping of names to hexadecimal digits; nil after a mistake.
    mutating func checksums(_ value: YAMLEvent) throws(YAMLStop) -> PublishedChecksums? {
        guard value.kind == .mappingStart else {
            try reader.refuse(value, "'checksums' takes a mapping with md5, sha1 or crc32")
            return nil
        }
        var isMistaken = false
        var values: [PublishedChecksums.Algorithm: [UInt8]] = [:]
        var cursor = LevelCursor(.checksums, start: value.position)
        while let field = try nextField(&cursor) {
            let value = try reader.next()
            guard let algorithm = PublishedChecksums.Algorithm(rawValue: field.key) else {
                try reader.skip(value)
                continue
            }
            values[algorithm] = try digits(value, of: algorithm)
            isMistaken = isMistaken || values[algorithm] == nil
        }
        finish(cursor)
        guard !isMistaken else { return nil }
        guard let checksums = PublishedChecksums(values) else { return nil }
        try reader.hold(CatalogCost.extras + YAMLCost.text(checksums.text.utf8.count), at: value.position)
        return checksums
    }

    private mutating func digits(
        _ value: YAMLEvent, of algorithm: PublishedChecksums.Algorithm
    ) throws(YAMLStop) -> [UInt8]? {
        let expectation = "'\(algorithm)' takes \(algorithm.length * 2) hexadecimal digits"
        guard value.kind == .scalar else {
            try reader.refuse(value, expectation)
            return nil
        }
        guard value.tag != .mistaken else { return nil }
        guard let bytes = [UInt8](hex: value.string), bytes.count == algorithm.length else {
            reader.mistake(value, expectation + "; quote them")
            return nil
        }
        return bytes
    }
}
