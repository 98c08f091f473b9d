import ProviderKit
import YAMLSource

/// Removes secrets from a plugin's text before it is shown.
///
/// Known secrets become `<redacted>`, URLs lose their user, query and fragment, control characters become visible.
package struct Redactor: Sendable, PrintsRedacted {
    /// Shorter secrets would remove parts of ordinary words.
    private static let shortestSecret = 4
    private static let secretBound = 512
    private var secrets: [String] = []
    /// Of these, names: of users and their accounts.
    private var names: Set<String> = []
    /// Shorter ones may be part of anything.
    private static let shortestStored = 8

    /// Makes a redactor that knows no secret yet.
    package init() {}

    /// Learns a secret. The newest 512 are kept.
    package mutating func learn(_ secret: String) {
        guard secret.utf8.count >= Self.shortestSecret, secrets.last != secret, !secrets.contains(secret) else {
            return
        }
        if secrets.count == Self.secretBound { secrets.removeFirst() }
        secrets.append(secret)
    }

    /// Remembers that a secret is a name.
    mutating func learn(name: String) { names.insert(name) }

    /// Whether text that is to be stored has a known secret in it.
    func contains(_ text: String) -> Bool {
        secrets.contains { secret in
            secret.utf8.count >= Self.shortestStored && text.utf8.count >= secret.utf8.count && !names.contains(secret)
                && text.contains(secret)
        }
    }

    /// `text` without known secrets and secret parts of URLs, in one line of at most `limit` characters.
    package func redact(_ text: String, limit: Int = 2000) -> String {
        var result = text
        // The longest first: one may be part of another.
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where result.utf8.count >= secret.utf8.count
        {
            result = Self.replace(secret, in: result)
        }
        if !secrets.isEmpty { result = EncodedSecrets(secrets: secrets).replaced(in: result, with: Self.gap) }
        result = AddressText.withoutSecrets(result).replacing(Self.gap, with: Self.mark)
        return PrintableText.safe(String(result.prefix(limit))) + (result.count > limit ? "…" : "")
    }

    /// Replaces a secret while URLs are shortened: a URL with a secret in its host or path loses its query, too.
    private static let gap = "\u{E000}"

    /// The replacement of a secret.
    package static let mark = "<redacted>"

    /// A header's value as it may be shown: only of few headers it is known that they don't bear secrets.
    package static func header(_ name: String, _ value: String) -> String {
        let plain: Set = ["accept", "accept-language", "origin", "referer", "user-agent"]
        return plain.contains(name.lowercased()) ? AddressText.withoutSecrets(value) : mark
    }

    private static func replace(_ secret: String, in text: String) -> String {
        let wanted = Array(secret.utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
                result.append(contentsOf: gap.utf8)
                index += wanted.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
