/// An address in a form safe to show and store: host and path, without user, query and fragment.
///
/// A part of the path that looks like a signature or a token is left out.
package struct ShownAddress: Sendable, Equatable, CustomStringConvertible {
    /// With the port if it isn't the scheme's default: `127.0.0.1:8080`.
    package let host: String
    /// From the URL, at most ``longest`` characters; begins with a slash.
    package let path: String

    private static let longest = 120

    /// Nil unless `url` is an absolute http or https URL.
    package init?(_ url: String) {
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP else { return nil }
        let isUsual = parsed.origin.port == (parsed.origin.scheme == "https" ? 443 : 80)
        host = isUsual ? parsed.origin.host : "\(parsed.origin.host):\(parsed.origin.port)"
        let authority = parsed.text.utf8.firstRange(of: "://".utf8).map { parsed.text.utf8[$0.upperBound...] }
        let rest = (authority ?? parsed.text.utf8[...]).drop { $0 != UInt8(ascii: "/") }
        let written = String(Substring(rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
        let parts = written.split(separator: "/", omittingEmptySubsequences: false).map(Self.shown)
        let whole = written.isEmpty ? "/" : parts.joined(separator: "/")
        path = whole.count <= Self.longest ? whole : "/…" + whole.suffix(Self.longest - 2).drop { $0 != "/" }
    }

    package var description: String { path == "/" ? host : host + path }

    /// A long run of letters and digits without a dot isn't a file's name: links may be signed in their path.
    private static func shown(_ part: Substring) -> String {
        // The header of a JWT: `{"` in base64.
        if part.utf8.starts(with: "eyJ".utf8) { return "…" }
        let isLong = part.utf8.count >= 20 && !part.utf8.contains(UInt8(ascii: "."))
        let hasDigit = part.utf8.contains { (0x30...0x39).contains($0) }
        let hasLetter = part.utf8.contains { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        let isNamed = part.utf8.contains(UInt8(ascii: "%")) || isWords(part) || isUUID(part)
        return isLong && hasDigit && hasLetter && !isNamed ? "…" : String(part)
    }

    /// Words separated by hyphens or underscores, each no longer than a word, and without capitals inside: a signature
    /// in base64url has hyphens and underscores, too.
    private static func isWords(_ part: Substring) -> Bool {
        let words = part.split { $0 == "-" || $0 == "_" }
        return words.count > 2
            && words.allSatisfy { word in
                word.utf8.count <= 12 && word.utf8.dropFirst().allSatisfy { !(0x41...0x5A).contains($0) }
            }
    }

    /// `8-4-4-4-12` hexadecimal digits: an id, as in PeerTube.
    private static func isUUID(_ part: Substring) -> Bool {
        part.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [8, 4, 4, 4, 12]
            && part.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
                    || (0x61...0x66).contains(byte)
            }
    }
}
