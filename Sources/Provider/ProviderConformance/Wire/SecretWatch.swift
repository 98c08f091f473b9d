import Foundation
import ProviderHost
import ProviderKit

/// The secrets that a plugin is given, and the search for them in its texts.
struct SecretWatch: Sendable, PrintsRedacted {
    /// Shorter values may be ordinary words.
    private static let shortest = 6

    private var secrets: [(name: String, value: String)] = []
    /// Knows them, too.
    private(set) var redactor = Redactor()

    /// A text that nothing else contains, for a secret of this name.
    static func canary(_ name: String) -> String {
        "canary-\(name.lowercased().filter { $0.isLetter || $0.isNumber })-\(UUID().uuidString.prefix(8).lowercased())"
    }

    mutating func learn(_ name: String, _ value: String) {
        redactor.learn(value)
        guard value.utf8.count >= Self.shortest, !secrets.contains(where: { $0.value == value }) else { return }
        secrets.append((name, value))
    }

    /// Adds the values in credentials whose keys tell that they are secret, and of a browser's session each of its
    /// cookies.
    mutating func learn(credentials: JSONValue, under key: String = "") {
        switch credentials {
        case .string(let text):
            if Self.isSecret(key) { learn(key, text) }
            for cookie in CookieJar(recognising: text)?.cookies ?? [] where cookie.mayBeSecret {
                learn(key, cookie.value)
            }
        case .array(let values): for value in values { learn(credentials: value, under: key) }
        case .object(let members): for (name, value) in members { learn(credentials: value, under: name) }
        case .null, .bool, .int, .double: break
        }
    }

    /// Whether the value of this name isn't one that may be shown, such as a user's or host's name.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["pass", "secret", "token", "key", "cookie", "session", "auth", "pin"].contains(where: name.contains)
    }

    /// The name of a secret that is in the text, also if it is encoded.
    func leak(in text: String) -> String? {
        guard !secrets.isEmpty, !text.isEmpty else { return nil }
        if let found = secrets.first(where: { text.contains($0.value) }) { return found.name }
        // A redactor of each: it finds percent-encoding, base64, hexadecimal and JSON's escapes.
        return secrets.first { secret in
            var redactor = Redactor()
            redactor.learn(secret.value)
            return !text.contains(Redactor.mark) && redactor.redact(text, limit: .max).contains(Redactor.mark)
        }?.name
    }

    /// The name of a secret in any text of a value.
    func leak(in value: JSONValue) -> String? {
        switch value {
        case .string(let text): leak(in: text)
        case .array(let values): values.lazy.compactMap { leak(in: $0) }.first
        case .object(let members): members.lazy.compactMap { leak(in: $0.key) ?? leak(in: $0.value) }.first
        case .null, .bool, .int, .double: nil
        }
    }
}
