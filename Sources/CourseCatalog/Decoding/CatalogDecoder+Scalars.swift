import YAMLSource

/// Bounds of the catalog format that aren't those of YAML.
enum CatalogBounds {
    /// Bytes of an id.
    static let identifier = 1024
    /// The greatest priority, and the negative of the least.
    static let priority = 1_000_000
    /// Includes inside includes.
    static let depth = 8
    /// Files of a run.
    static let files = 1000
}

extension CatalogDecoder {
    /// The bytes of an id; nil, and a mistake, for what can't be one. A collection is left for the caller to skip.
    mutating func identifier(_ value: YAMLEvent) -> UnsafeRawBufferPointer? {
        guard value.kind == .scalar else {
            mistake(value, "an id is text, not \(value.noun)")
            return nil
        }
        guard value.tag != .mistaken else { return nil }
        if value.isNull {
            let shown = value.text.isEmpty ? "nothing" : "“\(value.string)”"
            mistake(value, "the id is null (\(shown) without quotes); quote it if it is meant as text")
        } else if value.text.isEmpty {
            mistake(value, "an id can't be empty; write one, and quote it if it looks like something else")
        } else if value.text.count > CatalogBounds.identifier {
            mistake(value, "this id has \(value.text.count) bytes; 1 KiB is the most")
        } else if value.text.contains(0) {
            mistake(value, "an id can't hold the character NUL")
        } else {
            return value.text
        }
        return nil
    }

    /// Whether a value is text that isn't empty; a mistake otherwise, and a collection is skipped.
    mutating func isText(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> Bool {
        guard value.kind == .scalar else {
            try refuse(value, "\(key) takes text")
            return false
        }
        guard value.tag != .mistaken else { return false }
        if value.isNull {
            mistake(value, "\(key) is null; quote it if it is meant as text, or leave the key out")
        } else if value.text.isEmpty {
            mistake(value, "\(key) can't be empty; leave the key out")
        } else {
            return true
        }
        return false
    }

    /// A value as text that is kept; nil, and a mistake, for anything else.
    mutating func textOrSkip(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> String? {
        guard try isText(value, key) else { return nil }
        try reader.hold(YAMLCost.text(value.text.count), at: value.position)
        return value.string
    }

    /// Whether a value is a URL, or a path beside the catalog.
    mutating func isCover(_ value: YAMLEvent) throws(YAMLStop) -> Bool {
        guard try isText(value, "`cover`") else { return false }
        if WebAddress.hasScheme(value.text) {
            guard let mistaken = WebAddress.mistake(in: value.text) else { return true }
            mistake(value, "`cover` takes an http or https URL or a path beside the catalog; this URL \(mistaken)")
            return false
        }
        let path = value.string
        if path.contains("://") {
            mistake(value, "`cover` takes a URL of http or https only, or a path beside the catalog")
        } else if path.utf8.contains(0) {
            mistake(value, "a file name can't hold the character NUL")
        } else if path.hasPrefix("/") || path.split(separator: "/").contains("..") {
            mistake(value, "this cover isn't beside the catalog; a path can't begin with / or hold ..")
        } else {
            return true
        }
        return false
    }

    /// Decodes a number of bytes.
    mutating func size(_ value: YAMLEvent) throws(YAMLStop) -> Int64? {
        guard value.kind == .scalar, value.isPlain, let bytes = CoreSchema.integer(value.text) else {
            try refuse(value, "`size` takes a whole number of bytes, such as 104857600")
            return nil
        }
        if bytes < 0 {
            mistake(value, "`size` is a number of bytes and can't be negative")
        } else if bytes > 1 << 53 {
            mistake(value, "`size` is beyond 2^53 bytes")
        } else {
            return Int64(bytes)
        }
        return nil
    }

    /// Decodes a SHA-256 checksum into the draft's text; where it stands there.
    mutating func digest(_ value: YAMLEvent) throws(YAMLStop) -> UInt32? {
        guard value.kind == .scalar else {
            try refuse(value, "`sha256` takes 64 hexadecimal digits")
            return nil
        }
        guard value.tag != .mistaken else { return nil }
        let text = value.text
        guard text.count == 64 else {
            mistake(value, "`sha256` takes 64 hexadecimal digits, not \(text.count) characters")
            return nil
        }
        let place = draft.text.count
        let isDigest = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { bytes in
            for index in 0..<32 {
                guard let high = Self.hexDigit(text[index * 2]), let low = Self.hexDigit(text[index * 2 + 1]) else {
                    return false
                }
                bytes[index] = high << 4 | low
            }
            draft.text.append(contentsOf: bytes)
            return true
        }
        guard isDigest else {
            mistake(value, "`sha256` takes hexadecimal digits only (0–9, a–f)")
            return nil
        }
        return UInt32(clamping: place)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Decodes a truth value.
    mutating func flag(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> Bool? {
        if value.kind == .scalar, value.isPlain, let flag = CoreSchema.bool(value.text) { return flag }
        let word = value.kind == .scalar ? value.string.lowercased() : ""
        let meant = ["yes": "true", "on": "true", "no": "false", "off": "false"][word]
        try refuse(value, "\(key) takes true or false", suggestion: meant)
        return nil
    }

    /// Decodes the items of a list one by one; a mistake for anything else.
    mutating func list(
        _ value: YAMLEvent, _ expectation: String,
        _ item: (inout CatalogDecoder, YAMLEvent) throws(YAMLStop) -> Void
    ) throws(YAMLStop) {
        guard value.kind == .sequenceStart else { return try refuse(value, expectation) }
        var next = try reader.next()
        while next.kind != .sequenceEnd {
            try item(&self, next)
            next = try reader.next()
        }
    }

    /// Reports a value of the wrong type and passes over it.
    mutating func refuse(
        _ value: YAMLEvent, _ expectation: String, suggestion: String? = nil
    ) throws(YAMLStop) {
        if value.tag != .mistaken {
            let found = value.isNull && value.text.isEmpty ? "there is nothing" : "this is \(value.noun)"
            mistake(value, "\(expectation), but \(found)", suggestion: suggestion)
        }
        try reader.skip(value)
    }

    /// Reports something about a value that hasn't been reported yet.
    mutating func mistake(_ value: YAMLEvent, _ message: String, suggestion: String? = nil) {
        guard value.tag != .mistaken else { return }
        reader.mistakes.error(at: reader.location(value.position), message, suggestion: suggestion)
    }
}

extension YAMLEvent {
    /// What a value is, with its article, for messages.
    var noun: String {
        switch kind {
        case .mappingStart: "a mapping"
        case .sequenceStart: "a list"
        case _ where isNull: "null"
        default: "“\(string.excerpt)”"
        }
    }
}

extension String {
    /// The beginning, for messages.
    var excerpt: String { count <= 64 ? self : prefix(64) + "…" }
}
