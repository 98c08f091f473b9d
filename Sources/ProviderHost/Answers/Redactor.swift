import YAMLSource

/// Takes secrets out of text that comes from a plugin before anybody sees it.
///
/// Known secrets become `<redacted>`, URLs lose their user, query and fragment, control characters become visible.
package struct Redactor: Sendable {
    /// Secrets shorter than this would blot out ordinary words.
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

    /// `text` without the known secrets and without what URLs hide, in one line of at most `limit` characters.
    package func redact(_ text: String, limit: Int = 2000) -> String {
        var result = text
        // The longest first: one may be part of another.
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where result.utf8.count >= secret.utf8.count
        {
            result = Self.replace(secret, in: result)
        }
        result = Self.withoutURLSecrets(result)
        return PrintableText.safe(String(result.prefix(limit))) + (result.count > limit ? "…" : "")
    }

    /// `text` with every http(s) URL in it cut down to what says where it leads: no user, no query, no fragment.
    package static func withoutURLSecrets(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = nextURL(in: rest) {
            result += rest[..<start]
            rest = rest[start...]
            let end = rest.firstIndex { $0.isWhitespace || "\"'<>`\\".contains($0) } ?? rest.endIndex
            var url = rest[..<end]
            let authority = url.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let at = authority.lastIndex(of: "@") { url = url[url.index(after: at)...] }
            let path = url.prefix { $0 != "?" && $0 != "#" }
            result += path
            if path.endIndex < url.endIndex { result += "?…" }
            rest = rest[end...]
        }
        return result + rest
    }

    /// Where the authority of the first http(s) URL begins.
    private static func nextURL(in text: Substring) -> Substring.Index? {
        var rest = text
        while let colon = rest.firstIndex(of: ":") {
            let after = rest[rest.index(after: colon)...]
            let before = rest[..<colon].suffix(5).lowercased()
            if after.hasPrefix("//"), before.hasSuffix("http") || before == "https" {
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
                result.append(contentsOf: "<redacted>".utf8)
                index += wanted.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
