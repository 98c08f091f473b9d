import Foundation
import ProviderKit
import TextFormats

/// Takes secrets and personal data out of exchanges, and counts what it took.
struct FixtureScrubber: Sendable, PrintsRedacted {
    /// What stands in the place of a secret.
    static let stand = "fixture"
    private static let person = "someone@example.org"

    /// What was taken out, by its kind, such as `Authorization` or `e-mail address`.
    private(set) var taken: [FixtureRedaction: Int] = [:]
    /// Values that are known to be secret, the longest first.
    private var known: [String]

    private static var telling: Regex<Substring> {
        /(?i)token|sig(?:nature)?$|^md5$|^key$|api[_\-]?key|auth|passw|secret|session|policy|credential|code$|jwt/
    }
    private static var address: Regex<Substring> {
        /[A-Za-z0-9._%+\-]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}/
    }
    private static var webToken: Regex<Substring> { /eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]*/ }
    private static var member: Regex<(Substring, Substring, Substring, Substring)> {
        /(\u{22}([A-Za-z0-9_\-]+)\u{22}\s*:\s*)\u{22}((?:[^\u{22}\\]|\\.)*)\u{22}/
    }
    /// `<d:password type="x">…</`, whose text has no elements in it.
    private static var element: Regex<(Substring, Substring, Substring, Substring)> {
        /(<(?:[A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)(?:\s[^<>]*)?>\s*)([^<>\s][^<>]*)(?=<\/)/
    }
    private static var attribute: Regex<(Substring, Substring, Substring, Substring)> {
        /(\s(?:[A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)\s*=\s*)(\u{22}[^\u{22}<>]+\u{22}|'[^'<>]+')/
    }
    private static var queryField: Regex<(Substring, Substring, Substring)> {
        /[?&;]([A-Za-z0-9_.\-]+)=([^&\u{22}'<>\s#\\;]+)/
    }

    /// A user's name, and perhaps a password, in a URL.
    private static var userInfo: Regex<(Substring, Substring)> { /(https?:\/\/)[^\s\/?#@\u{22}'<>]+@/ }
    /// A code of an error, such as `invalid_grant` or `INVALID_KS`: words, or a short number.
    private static var errorCode: Regex<Substring> { /[A-Za-z]+(?:[_.\- ][A-Za-z]+)*|[0-9]{1,6}/ }

    /// Knows secrets, at least four characters long.
    init(secrets: [String]) {
        known = secrets.filter { $0.utf8.count >= 4 && $0 != Self.stand }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// An exchange without secrets. Its query fields and headers with secrets match any.
    mutating func clean(_ exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.target = clean(target: exchange.target)
        exchange.body = clean(bodyOf: exchange)
        exchange.fields = exchange.fields.map { field in
            if Self.isSecret(header: field.name) {
                note(.field(field.name))
                return MessageField(name: field.name, value: RecordedExchange.any)
            }
            return MessageField(name: field.name, value: clean(text: field.value))
        }
        exchange.response.body = clean(bodyOf: exchange.response)
        exchange.response.fields = exchange.response.fields.compactMap { clean(field: $0) }
        return exchange
    }

    /// Knows from now on what these exchanges show to be secret: what a login gives is elsewhere, too.
    mutating func learn(_ exchanges: [RecordedExchange]) {
        var found: Set<String> = []
        for exchange in exchanges {
            for field in exchange.fields where Self.isSecret(header: field.name) {
                found.formUnion(field.value.split { " ;,=".contains($0) }.map(String.init))
                if field.isCalled("Cookie") { found.formUnion(Self.cookies(field.value).map(\.value)) }
            }
            for field in exchange.response.fields where field.isCalled("Set-Cookie") {
                found.formUnion(Self.cookies(field.value).prefix(1).map(\.value))
            }
        }
        // Shorter ones are words that may mean anything.
        let learned = found.filter { $0.utf8.count >= 8 && $0 != Self.stand && !known.contains($0) }
        known = (known + learned).sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Knows from now on the texts of a value that are secret by their names, the shortest, too.
    mutating func learn(_ value: JSONValue, under name: String = "") {
        switch value {
        case .string(let text):
            let cookies = CookieJar(recognising: text)?.cookies.filter(\.mayBeSecret).map(\.value) ?? []
            let found = cookies + (Self.isSecret(member: name[...], text[...]) ? [text] : [])
            known = Set(known).union(found).subtracting([Self.stand]).sorted { $0.utf8.count > $1.utf8.count }
        case .array(let values): for value in values { learn(value, under: name) }
        case .object(let members): for (name, value) in members { learn(value, under: name) }
        case .null, .bool, .int, .double: break
        }
    }

    /// Of a request: what is secret matches any.
    private mutating func clean(bodyOf exchange: RecordedExchange) -> [UInt8] {
        guard !exchange.body.isEmpty else { return [] }
        guard let text = String(validating: exchange.body, as: UTF8.self), !exchange.body.contains(0) else {
            note(.body)
            return Array(RecordedExchange.any.utf8)
        }
        if case .form(let fields) = RequestBody(exchange.body) {
            let parts = fields.map { field in
                let isKnown = known.contains(field.value)
                guard isKnown || Self.isSecret(member: field.name[...], field.value[...]) else {
                    return Self.pair(field)
                }
                note(.query(field.name))
                return Self.pair(.init(name: field.name, value: RecordedExchange.any))
            }
            return Array(parts.joined(separator: "&").utf8)
        }
        let isJSON = if case .json = RequestBody(exchange.body) { true } else { false }
        guard isJSON, let value = try? JSONReader.value(of: exchange.body) else {
            return Array(clean(text: text).utf8)
        }
        return CheckRequest.line(["": marked(value, under: "")]).dropFirst(#"{"":"#.utf8.count).dropLast()
    }

    private static func pair(_ field: RequestBody.Field) -> String {
        func encoded(_ text: String) -> String {
            text == RecordedExchange.any ? text : PercentEncoding.encoded(text)
        }
        return "\(encoded(field.name))=\(encoded(field.value))"
    }

    /// A value of a request, with stars for what is secret.
    private mutating func marked(_ value: JSONValue, under name: String) -> JSONValue {
        switch value {
        case .string(let text):
            guard known.contains(text) || Self.isSecret(member: name[...], text[...]) else {
                return .string(clean(text: text))
            }
            note(.member(name))
            return .string(RecordedExchange.any)
        case .array(let values): return .array(values.map { marked($0, under: name) })
        case .object(let members):
            return .object(Dictionary(members.map { ($0, marked($1, under: $0)) }) { first, _ in first })
        case .null, .bool, .int, .double: return value
        }
    }

    /// What is text is cleaned, in whichever encoding of one byte for an ASCII character; what could hide a secret from
    /// that isn't kept.
    private mutating func clean(bodyOf response: ServedResponse) -> [UInt8] {
        let body = response.body
        if String(validating: body, as: UTF8.self) != nil, !body.contains(0), !Self.isPacked(body) {
            return Array(clean(text: String(decoding: body, as: UTF8.self)).utf8)
        }
        let type = response["Content-Type"]?.lowercased() ?? ""
        let isMedia = ["image/", "video/", "audio/"].contains { type.hasPrefix($0) }
        guard isMedia || !body.contains(0) && !Self.isPacked(body) else {
            note(.body)
            return []
        }
        // Each byte is a character, and comes back as it was.
        let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
        let clean = isMedia ? withoutKnown(text) : clean(text: text)
        return clean.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// gzip, zip, bzip2, xz, zstd.
    private static func isPacked(_ body: [UInt8]) -> Bool {
        [[0x1F, 0x8B], [0x50, 0x4B, 3, 4], [0x42, 0x5A, 0x68], [0xFD, 0x37, 0x7A], [0x28, 0xB5, 0x2F, 0xFD]]
            .contains { body.starts(with: $0) }
    }

    /// Names and values; the name is empty where there is none.
    private static func cookies(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: ";").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.filter { !$0.isWhitespace && $0 != "\"" } }
            return parts.count == 2 ? (parts[0], parts[1]) : ("", parts[0])
        }
    }

    /// A value of parameters or credentials without secrets, which their names tell.
    mutating func clean(_ value: JSONValue, under name: String = "") -> JSONValue {
        switch value {
        case .string(let text):
            // The values of a session's cookies are taken out already.
            if CookieJar(recognising: text) != nil { return .string(text) }
            guard Self.isSecret(member: name[...], text[...]), text != Self.stand else {
                return .string(clean(text: text))
            }
            note(.member(name))
            return .string(Self.stand)
        case .array(let values): return .array(values.map { clean($0, under: name) })
        case .object(let members):
            return .object(Dictionary(members.map { ($0, clean($1, under: $0)) }) { first, _ in first })
        case .null, .bool, .int, .double: return value
        }
    }

    /// Whether a member's name tells that its value is secret. `next_page_token` and the like are cursors, which pages
    /// need to be replayed; the codes of errors are what a plugin decides by.
    private static func isSecret(member name: Substring, _ value: Substring) -> Bool {
        guard name.contains(telling), !name.contains(/(?i)page|next|continu|type/), !value.isEmpty,
            !value.hasPrefix("http")
        else { return false }
        let isCode = name.contains(/(?i)error|reason|status|exception|^(?:response|result|message)?[_\-]?code$/)
        guard isCode, value.utf8.count <= 64, value.wholeMatch(of: errorCode) != nil else { return true }
        // What a login hands out as `code` has letters of both cases.
        return name.lowercased() == "code" && value.contains(where: \.isLowercase)
            && value.contains(where: \.isUppercase)
    }

    private mutating func clean(target: String) -> String {
        let marked = replaceQueries(in: target, by: RecordedExchange.any)
        return clean(text: marked)
    }

    private mutating func clean(field: MessageField) -> MessageField? {
        if field.isCalled("Set-Cookie") {
            note(.field(field.name))
            let cookies = Self.cookies(field.value)
            // Two cookies may be in one field; only what a browser is told about the first one stays.
            let telling = cookies.dropFirst().filter {
                ["path", "domain", "max-age", "samesite"].contains($0.name.lowercased()) && !$0.value.contains(",")
            }
            let name = cookies.first?.name ?? ""
            return MessageField(
                name: field.name,
                value: (["\(name.isEmpty ? "cookie" : name)=\(Self.stand)"] + telling.map { "\($0.name)=\($0.value)" })
                    .joined(separator: "; "))
        }
        if Self.isSecret(header: field.name) {
            note(.field(field.name))
            return MessageField(name: field.name, value: Self.stand)
        }
        return MessageField(name: field.name, value: clean(text: field.value))
    }

    private mutating func clean(text: String) -> String {
        // What has a name is told by it, rather than as one that is known.
        var result = replaceQueries(in: text, by: Self.stand)
        result = replaceMembers(in: result)
        result = replaceMarkup(in: result)
        let people = result.matches(of: Self.userInfo)
        for _ in people { note(.credential) }
        result.replace(Self.userInfo) { $0.1 }
        result = withoutKnown(result)
        for _ in result.matches(of: Self.webToken) { note(.webToken) }
        result.replace(Self.webToken, with: Self.stand)
        let addresses = result.matches(of: Self.address).filter { $0.0 != Self.person }
        for _ in addresses { note(.mail) }
        result.replace(Self.address, with: Self.person)
        return result
    }

    private mutating func withoutKnown(_ text: String) -> String {
        var result = text
        for secret in known {
            let bytes = String(String.UnicodeScalarView(secret.utf8.map { Unicode.Scalar($0) }))
            let forms = [
                secret, bytes, PercentEncoding.encoded(secret, where: Self.isLetterOrDigit),
                Data(secret.utf8).base64EncodedString(), Self.escaped(secret),
            ]
            for form in Set(forms) where result.contains(form) {
                note(.credential)
                result = result.replacing(form, with: Self.stand)
            }
        }
        return result
    }

    /// Elements and attributes of XML and HTML, by their names.
    private mutating func replaceMarkup(in text: String) -> String {
        guard text.contains("<") else { return text }
        var notes: [FixtureRedaction] = []
        func stands(for name: Substring, _ value: Substring) -> Bool {
            // Keys of objects and codes of errors are none of a person's.
            guard name.contains(Self.telling), !name.contains(/(?i)page|next|continu|type|author|^key$|code$/),
                !value.contains(Self.stand), !value.hasPrefix("http")
            else { return false }
            notes.append(.member(String(name)))
            return true
        }
        var result = text.replacing(Self.element) { match in
            stands(for: match.2, match.3) ? "\(match.1)\(Self.stand)" : String(match.0)
        }
        result = result.replacing(Self.attribute) { match in
            stands(for: match.2, match.3.dropFirst()) ? "\(match.1)\"\(Self.stand)\"" : String(match.0)
        }
        for taking in notes { note(taking) }
        return result
    }

    private mutating func replaceQueries(in text: String, by stand: String) -> String {
        var notes: [FixtureRedaction] = []
        let result = text.replacing(Self.queryField) { match in
            let (name, value) = (match.1, match.2)
            let isKnown = known.contains(String(value).removingPercentEncoding ?? "")
            guard isKnown || name.contains(Self.telling), value != Self.stand, value != RecordedExchange.any else {
                return String(match.0)
            }
            notes.append(.query(String(name)))
            return "\(match.0.dropLast(value.count))\(stand)"
        }
        for taking in notes { note(taking) }
        return result
    }

    private mutating func replaceMembers(in text: String) -> String {
        guard text.contains("\"") else { return text }
        var notes: [FixtureRedaction] = []
        let result = text.replacing(Self.member) { match in
            let (name, value) = (match.2, match.3)
            guard Self.isSecret(member: name, value), value != Self.stand else { return String(match.0) }
            notes.append(.member(String(name)))
            return "\(match.1)\"\(Self.stand)\""
        }
        for taking in notes { note(taking) }
        return result
    }

    private mutating func note(_ taking: FixtureRedaction) { taken[taking, default: 0] += 1 }

    private static func isSecret(header name: String) -> Bool {
        name.lowercased().contains("cookie") || name.contains(telling)
    }

    /// As XML and HTML write it.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
