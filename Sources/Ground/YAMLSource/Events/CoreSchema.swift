/// The core schema of YAML 1.2 (§10.3.2): the type of a plain scalar, by its form.
package enum CoreSchema {
    /// The type of a scalar.
    enum Resolution {
        case value(YAMLValue)
        /// A number that JSON can't carry exactly.
        case tooBig
        /// `.nan`, `.inf`, or a number beyond the range of doubles.
        case notFinite
        /// The tag contradicts the written form.
        case mismatch(String)
    }

    /// The limit up to which doubles, and so JSON readers, represent all integers exactly.
    static let greatestInteger = 1 << 53

    /// Whether a plain scalar is null.
    package static func isNull(_ text: UnsafeRawBufferPointer) -> Bool {
        switch text.count {
        case 0: true
        case 1: text[0] == UInt8(ascii: "~")
        case 4: equals(text, "null") || equals(text, "Null") || equals(text, "NULL")
        default: false
        }
    }

    /// The truth value of a plain scalar.
    package static func bool(_ text: UnsafeRawBufferPointer) -> Bool? {
        switch text.count {
        case 4: equals(text, "true") || equals(text, "True") || equals(text, "TRUE") ? true : nil
        case 5: equals(text, "false") || equals(text, "False") || equals(text, "FALSE") ? false : nil
        default: nil
        }
    }

    /// The integer of a plain scalar, nil for anything else; clamped to ±`Int.max`.
    package static func integer(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let first = text.first else { return nil }
        if first == UInt8(ascii: "0"), text.count > 2 {
            if text[1] == UInt8(ascii: "o") { return digits(text[2...], radix: 8) }
            if text[1] == UInt8(ascii: "x") { return digits(text[2...], radix: 16) }
        }
        guard first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else { return digits(text[...], radix: 10) }
        return digits(text.dropFirst(), radix: 10).map { first == UInt8(ascii: "-") ? -$0 : $0 }
    }

    /// The value of a scalar by its tag and form.
    static func resolve(_ event: YAMLEvent) -> Resolution {
        let text = event.text
        switch event.tag {
        case .nonSpecific, .string: return .value(.string(event.string))
        case .none where !event.isPlain: return .value(.string(event.string))
        case .none: return plain(event)
        case .null: return isNull(text) ? .value(.null) : .mismatch("null")
        case .bool: return bool(text).map { .value(.bool($0)) } ?? .mismatch("a boolean")
        case .int:
            guard let number = integer(text) else { return .mismatch("an integer") }
            return checked(number)
        case .float:
            if isNotFinite(text) { return .notFinite }
            return double(event).map(checked) ?? .mismatch("a number")
        case .sequence, .mapping, .mistaken: return .value(.null)
        }
    }

    private static func plain(_ event: YAMLEvent) -> Resolution {
        let text = event.text
        guard let first = text.first else { return .value(.null) }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            if let number = integer(text) { return checked(number) }
            if isNotFinite(text) { return .notFinite }
            if let number = double(event) { return checked(number) }
        case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"):
            if let flag = bool(text) { return .value(.bool(flag)) }
        case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "~"):
            if isNull(text) { return .value(.null) }
        default: break
        }
        return .value(.string(event.string))
    }

    private static func checked(_ number: Int) -> Resolution {
        number.magnitude <= UInt(greatestInteger) ? .value(.int(number)) : .tooBig
    }

    private static func checked(_ number: Double) -> Resolution {
        number.isFinite ? .value(.double(number)) : .notFinite
    }

    private static func digits(_ text: Slice<UnsafeRawBufferPointer>, radix: Int) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for byte in text {
            let digit: Int
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte) - 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = Int(byte) - 0x61 + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = Int(byte) - 0x41 + 10
            default: return nil
            }
            guard digit < radix else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            let (sum, carry) = product.addingReportingOverflow(digit)
            value = overflow || carry || value == .max ? .max : sum
        }
        return value
    }

    private static func isNotFinite(_ text: UnsafeRawBufferPointer) -> Bool {
        let signed = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        let word = UnsafeRawBufferPointer(rebasing: signed ? text.dropFirst() : text[...])
        guard word.count == 4 else { return false }
        if equals(word, ".inf") || equals(word, ".Inf") || equals(word, ".INF") { return true }
        return !signed && (equals(word, ".nan") || equals(word, ".NaN") || equals(word, ".NAN"))
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
    private static func double(_ event: YAMLEvent) -> Double? {
        var rest = event.text[...]
        func skipDigits() -> Int {
            let before = rest.count
            while let byte = rest.first, byte >= 0x30, byte <= 0x39 { rest = rest.dropFirst() }
            return before - rest.count
        }
        func skip(_ a: UInt8, _ b: UInt8) -> Bool {
            guard let byte = rest.first, byte == a || byte == b else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
        let whole = skipDigits()
        let fraction = skip(UInt8(ascii: "."), UInt8(ascii: ".")) ? skipDigits() : 0
        guard whole > 0 || fraction > 0 else { return nil }
        if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
            guard skipDigits() > 0 else { return nil }
        }
        guard rest.isEmpty else { return nil }
        return parsed(event.string)
    }

    private static func parsed(_ text: String) -> Double? {
        // Swift's parser requires digits on both sides of the point in some forms; YAML doesn't.
        if let number = Double(text) { return number }
        return Double(text.replacing(".", with: text.hasPrefix(".") ? "0." : ".0", maxReplacements: 1))
    }

    static func equals(_ text: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        text.elementsEqual(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
}
