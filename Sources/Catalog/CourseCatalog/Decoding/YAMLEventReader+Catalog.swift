import YAMLSource

/// Checked values of a catalog: an invalid value is a mistake.
extension YAMLEventReader {
    /// The bytes of an id; nil, and a mistake, if it is invalid. The caller has to skip a collection.
    mutating func identifier(_ value: YAMLEvent) -> UnsafeRawBufferPointer? {
        guard value.kind == .scalar else {
            mistake(value, "an id is text, not \(value.noun)")
            return nil
        }
        guard value.tag != .mistaken else { return nil }
        if value.isNull {
            let shown = value.text.isEmpty ? "nothing" : "'\(value.string)'"
            mistake(value, "the id is null (\(shown) without quotes); to use it as text, quote it")
        } else if value.text.isEmpty {
            mistake(value, "an id can't be empty")
        } else if value.text.count > CatalogBounds.identifier {
            mistake(value, "this id has \(value.text.count) bytes; the limit is 1 KiB")
        } else if value.text.contains(0) {
            mistake(value, "an id can't contain the character NUL")
        } else {
            return value.text
        }
        return nil
    }

    mutating func identifierOrSkip(_ value: YAMLEvent) throws(YAMLStop) -> UnsafeRawBufferPointer? {
        if let id = identifier(value) { return id }
        try skip(value)
        return nil
    }

    /// Whether a value is text that isn't empty; otherwise a mistake, and a collection is skipped.
    mutating func isText(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> Bool {
        guard value.kind == .scalar else {
            try refuse(value, "\(key) takes text")
            return false
        }
        guard value.tag != .mistaken else { return false }
        if value.isNull {
            mistake(value, "\(key) is null; to use it as text, quote it, or leave the key out")
        } else if value.text.isEmpty {
            mistake(value, "\(key) can't be empty; leave the key out")
        } else {
            return true
        }
        return false
    }

    /// A value as kept text; nil, and a mistake, for anything else.
    mutating func textOrSkip(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> String? {
        guard try isText(value, key) else { return nil }
        try hold(YAMLCost.text(value.text.count), at: value.position)
        return value.string
    }

    /// Whether a value is a URL, or a path beside the catalog.
    mutating func isCover(_ value: YAMLEvent) throws(YAMLStop) -> Bool {
        guard try isText(value, "'cover'") else { return false }
        if WebAddress.hasScheme(value.text) {
            guard let mistaken = WebAddress.mistake(in: value.text) else { return true }
            mistake(value, "'cover' takes an http or https URL or a path relative to the catalog; this URL \(mistaken)")
            return false
        }
        let path = value.string
        if path.contains("://") {
            mistake(value, "'cover' takes an http or https URL, or a path relative to the catalog")
        } else if path.utf8.contains(0) {
            mistake(value, "a file name can't contain the character NUL")
        } else if path.hasPrefix("/") || path.split(separator: "/").contains("..") {
            mistake(
                value, "a cover must be in the catalog's folder or below; its path can't begin with / or contain ..")
        } else {
            return true
        }
        return false
    }

    /// Decodes a number of bytes.
    mutating func size(_ value: YAMLEvent, of key: String = "size", least: Int = 0) throws(YAMLStop) -> Int64? {
        guard value.kind == .scalar, value.isPlain, let bytes = CoreSchema.integer(value.text) else {
            try refuse(value, "'\(key)' takes a whole number of bytes, such as 104857600")
            return nil
        }
        if bytes < 0 {
            mistake(value, "'\(key)' is a number of bytes and can't be negative")
        } else if bytes < least {
            mistake(value, "'\(key)' is at least \(least)")
        } else if bytes > 1 << 53 {
            mistake(value, "'\(key)' is larger than 2^53 bytes")
        } else {
            return Int64(bytes)
        }
        return nil
    }

    /// Decodes a number in a range.
    mutating func number(_ value: YAMLEvent, _ key: String, in range: ClosedRange<Int>) throws(YAMLStop) -> Int? {
        if value.kind == .scalar, value.isPlain, let number = CoreSchema.integer(value.text), range.contains(number) {
            return number
        }
        try refuse(value, "\(key) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    /// Decodes a truth value.
    mutating func flag(_ value: YAMLEvent, _ key: String) throws(YAMLStop) -> Bool? {
        if value.kind == .scalar, value.isPlain, let flag = CoreSchema.bool(value.text) { return flag }
        let word = value.kind == .scalar ? value.string.lowercased() : ""
        let meant = ["yes": "true", "on": "true", "no": "false", "off": "false"][word]
        try refuse(value, "\(key) takes true or false", suggestion: meant)
        return nil
    }

    /// Reports a value of the wrong type and skips it.
    mutating func refuse(
        _ value: YAMLEvent, _ expectation: String, suggestion: String? = nil
    ) throws(YAMLStop) {
        if value.tag != .mistaken {
            let found = value.isNull && value.text.isEmpty ? "there is nothing" : "this is \(value.noun)"
            mistake(value, "\(expectation), but \(found)", suggestion: suggestion)
        }
        try skip(value)
    }

    /// Reports a mistake in a value that hasn't been reported yet.
    mutating func mistake(_ value: YAMLEvent, _ message: String, suggestion: String? = nil) {
        guard value.tag != .mistaken else { return }
        mistakes.error(at: location(value.position), message, suggestion: suggestion)
    }
}

extension YAMLEvent {
    /// The kind of a value, with its article, for messages.
    var noun: String {
        switch kind {
        case .mappingStart: "a mapping"
        case .sequenceStart: "a list"
        case _ where isNull: "null"
        default: "'\(string.excerpt)'"
        }
    }
}

extension String {
    /// The beginning, for messages.
    var excerpt: String { count <= 64 ? self : prefix(64) + "…" }
}
