import ProviderKit
import YAMLSource

/// Removes secrets from a plugin's text before it is shown.
///
/// Known secrets become `<redacted>`, URLs lose their user, query and fragment, control characters become visible.
package struct Redactor: Sendable, PrintsRedacted {
    /// Shorter secrets would remove parts of ordinary words.
    private static let shortestSecret = 4
    private static let tokenBound = 512
    /// What the provider was given: stored credentials, and what somebody typed. Never forgotten.
    private var kept: Set<String> = []
    /// Texts of the credentials that the provider has now.
    private var current: Set<String> = []
    /// What the provider made: tokens, and texts of credentials that it has renewed since. The oldest first.
    private var tokens: [String] = []
    /// Of these, names: of users and their accounts.
    private var names: Set<String> = []
    /// Shorter ones may be part of anything.
    private static let shortestStored = 8

    /// Makes a redactor that knows no secret yet.
    package init() {}

    private var secrets: [String] { kept.union(current).union(tokens).sorted { $0.utf8.count > $1.utf8.count } }

    /// Learns a secret, and never forgets it.
    package mutating func learn(_ secret: String) {
        if secret.utf8.count >= Self.shortestSecret { kept.insert(secret) }
    }

    /// Learns a token. The newest 512 are kept.
    mutating func learn(token: String) {
        guard token.utf8.count >= Self.shortestSecret, tokens.last != token, !tokens.contains(token) else { return }
        if tokens.count == Self.tokenBound { tokens.removeFirst() }
        tokens.append(token)
    }

    /// Learns the texts of the credentials that the provider has from now on.
    ///
    /// - Parameter areRenewed: whether the provider made them. They become tokens once it has made others: one that
    ///   renews its credentials with each answer must not fill the memory.
    mutating func learn(current texts: Set<String>, areRenewed: Bool) {
        let texts = texts.filter { $0.utf8.count >= Self.shortestSecret }
        if !areRenewed { kept.formUnion(texts.subtracting(current).subtracting(tokens)) }
        for old in current.subtracting(texts).subtracting(kept).sorted() { learn(token: old) }
        current = texts
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
        let secrets = secrets
        for secret in secrets where result.utf8.count >= secret.utf8.count {
            result = Self.replace(secret, in: result)
        }
        if !secrets.isEmpty { result = EncodedSecrets(secrets: secrets).replaced(in: result, with: Self.gap) }
        result = AddressRedactor.withoutSecrets(result).replacing(Self.gap, with: Self.mark)
        return PrintableScalars.safe(String(result.prefix(limit))) + (result.count > limit ? "…" : "")
    }

    /// Replaces a secret while URLs are shortened: a URL with a secret in its host or path loses its query, too.
    private static let gap = "\u{E000}"

    /// The replacement of a secret.
    package static let mark = "<redacted>"

    /// A header's value as it may be shown: only of few headers it is known that they don't bear secrets.
    package static func header(_ name: String, _ value: String) -> String {
        let plain: Set = ["accept", "accept-language", "origin", "referer", "user-agent"]
        return plain.contains(name.lowercased()) ? AddressRedactor.withoutSecrets(value) : mark
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
