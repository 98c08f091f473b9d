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

    /// `text` without known secrets and secret parts of URLs, in one line of at most `limit` characters.
    package func redact(_ text: String, limit: Int = 2000) -> String {
        var result = text
        // The longest first: one may be part of another.
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where result.utf8.count >= secret.utf8.count
        {
            result = Self.replace(secret, in: result)
        }
        result = Self.withoutURLSecrets(result).replacing(Self.gap, with: Self.mark)
        return PrintableText.safe(String(result.prefix(limit))) + (result.count > limit ? "…" : "")
    }

    /// Replaces a secret while URLs are shortened: a URL with a secret in its host or path loses its query, too.
    private static let gap = "\u{E000}"

    /// The replacement of a secret.
    package static let mark = "<redacted>"

    /// `text` with every http(s) URL shortened by ``url(_:)``.
    package static func withoutURLSecrets(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let start = nextURL(in: rest) {
            result += rest[..<start]
            rest = rest[start...]
            let end = rest.firstIndex { $0.properties.isWhitespace || "\"'<>`\\".unicodeScalars.contains($0) }
            let url = rest[..<(end ?? rest.endIndex)]
            result += shown(url)
            rest = rest[url.endIndex...]
        }
        return String(result + rest)
    }

    /// A URL without user, query and fragment.
    package static func url(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":"), scalars[colon...].starts(with: "://".unicodeScalars) else {
            return String(String.UnicodeScalarView(shown(scalars[...])))
        }
        let authority = scalars.index(colon, offsetBy: 3)
        return String(scalars[..<authority]) + String(String.UnicodeScalarView(shown(scalars[authority...])))
    }

    /// A header's value in a form safe to show: only few headers are known to contain no secrets.
    package static func header(_ name: String, _ value: String) -> String {
        let plain: Set = ["accept", "accept-language", "origin", "referer", "user-agent"]
        return plain.contains(name.lowercased()) ? withoutURLSecrets(value) : mark
    }

    /// The rest of a URL after its scheme, without possible secrets. By scalars: a combining mark must not hide where
    /// the query begins.
    private static func shown(_ url: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let end = url.firstIndex { $0 == "?" || $0 == "#" }
        var head = url[..<(end ?? url.endIndex)]
        if let at = head.prefix(while: { $0 != "/" }).lastIndex(of: "@") { head = head[head.index(after: at)...] }
        guard let end else { return head }
        return head + String.UnicodeScalarView([url[end], "…"])[...]
    }

    /// The start of the authority in the first http(s) URL.
    private static func nextURL(in text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView.Index? {
        var rest = text
        while let colon = rest.firstIndex(of: ":") {
            let after = rest[rest.index(after: colon)...]
            let before = String(text[..<colon].suffix(5)).lowercased()
            if after.starts(with: "//".unicodeScalars), before.hasSuffix("http") || before == "https" {
                return after.index(after.startIndex, offsetBy: 2)
            }
            rest = after
        }
        return nil
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
