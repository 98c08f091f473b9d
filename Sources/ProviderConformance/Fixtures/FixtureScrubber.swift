import Foundation
import ProviderKit

/// Takes secrets and personal data out of exchanges, and counts what it took.
struct FixtureScrubber: Sendable, PrintsRedacted {
    /// What stands in the place of a secret.
    static let stand = "fixture"
    private static let person = "someone@example.org"

    /// What was taken out, by its kind, such as `Authorization` or `e-mail address`.
    private(set) var taken: [FixtureTaking: Int] = [:]
    /// Values that are known to be secret, the longest first.
    private var known: [String]

    private static var telling: Regex<Substring> {
        /(?i)token|sig(?:nature)?$|^md5$|^key$|api_?key|auth|passw|secret|session|policy|credential|code$|jwt/
    }
    private static var address: Regex<Substring> {
        /[A-Za-z0-9._%+\-]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}/
    }
    private static var webToken: Regex<Substring> { /eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]*/ }
    private static var member: Regex<(Substring, Substring, Substring, Substring)> {
        /(\u{22}([A-Za-z0-9_\-]+)\u{22}\s*:\s*)\u{22}((?:[^\u{22}\\]|\\.)*)\u{22}/
    }
    private static var queryField: Regex<(Substring, Substring, Substring)> {
        /[?&;]([A-Za-z0-9_.\-]+)=([^&\u{22}'<>\s#\\;]+)/
    }

    /// Knows secrets, at least four characters long.
    init(secrets: [String]) {
        known = secrets.filter { $0.utf8.count >= 4 && $0 != Self.stand }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// An exchange without secrets. Its query fields and headers with secrets match any.
    mutating func clean(_ exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.target = clean(target: exchange.target)
        exchange.fields = exchange.fields.map { field in
            if Self.isSecret(header: field.name) {
                note(.field(field.name))
                return MessageField(name: field.name, value: RecordedExchange.any)
            }
            return MessageField(name: field.name, value: clean(text: field.value))
        }
        exchange.response.fields = exchange.response.fields.compactMap { clean(field: $0) }
        if exchange.response.isText {
            let text = String(decoding: exchange.response.body, as: UTF8.self)
            exchange.response.body = Array(clean(text: text).utf8)
        }
        return exchange
    }

    /// A value of a parameter without secrets.
    mutating func clean(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(clean(text: text))
        case .array(let values): return .array(values.map { clean($0) })
        case .object(let members): return .object(members.mapValues { clean($0) })
        case .null, .bool, .int, .double: return value
        }
    }

    private mutating func clean(target: String) -> String {
        let marked = replaceQueries(in: target, by: RecordedExchange.any)
        return clean(text: marked)
    }

    private mutating func clean(field: MessageField) -> MessageField? {
        if field.isCalled("Set-Cookie") {
            note(.field(field.name))
            let name = field.value.prefix { $0 != "=" }
            let attributes = field.value.drop { $0 != ";" }
            return MessageField(name: field.name, value: "\(name)=\(Self.stand)\(attributes)")
        }
        if Self.isSecret(header: field.name) {
            note(.field(field.name))
            return MessageField(name: field.name, value: Self.stand)
        }
        return MessageField(name: field.name, value: clean(text: field.value))
    }

    private mutating func clean(text: String) -> String {
        var result = text
        for secret in known {
            for form in [secret, Self.percent(secret), Data(secret.utf8).base64EncodedString()]
            where result.contains(form) {
                note(.credential)
                result = result.replacing(form, with: Self.stand)
            }
        }
        result = replaceQueries(in: result, by: Self.stand)
        result = replaceMembers(in: result)
        for _ in result.matches(of: Self.webToken) { note(.webToken) }
        result.replace(Self.webToken, with: Self.stand)
        let people = result.matches(of: Self.address).filter { $0.0 != Self.person }
        for _ in people { note(.mail) }
        result.replace(Self.address, with: Self.person)
        return result
    }

    private mutating func replaceQueries(in text: String, by stand: String) -> String {
        var notes: [FixtureTaking] = []
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
        var notes: [FixtureTaking] = []
        let result = text.replacing(Self.member) { match in
            let (name, value) = (match.2, match.3)
            // `next_page_token` and the like are cursors, without which pages can't be replayed.
            guard name.contains(Self.telling), !name.contains(/(?i)page|next|continu|type/), !value.isEmpty,
                value != Self.stand, !value.hasPrefix("http")
            else { return String(match.0) }
            notes.append(.member(String(name)))
            return "\(match.1)\"\(Self.stand)\""
        }
        for taking in notes { note(taking) }
        return result
    }

    private mutating func note(_ taking: FixtureTaking) { taken[taking, default: 0] += 1 }

    private static func isSecret(header name: String) -> Bool {
        ["cookie", "authorization", "proxy-authorization"].contains(name.lowercased()) || name.contains(telling)
    }

    private static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

/// What was taken out of recorded exchanges.
package enum FixtureTaking: Sendable, Hashable {
    /// The value of a header.
    case field(String)
    /// A given secret.
    case credential
    /// The value of a query field.
    case query(String)
    /// The value of a JSON object's member.
    case member(String)
    /// A JSON web token.
    case webToken
    /// An e-mail address.
    case mail
}
