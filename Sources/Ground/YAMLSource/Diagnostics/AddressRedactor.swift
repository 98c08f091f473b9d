/// Addresses in a text: what may be a secret in them, and the text without it.
///
/// Of every `scheme://…` that is its user and password, its query and its fragment; of a word without a scheme, such as
/// `//host/a?key=value`, what follows a `?` if there is a `=` in it. An address ends at a space, a quote or an angle
/// bracket.
package enum AddressRedactor {
    /// The text with `?…` for each query, and no users and passwords.
    package static func withoutSecrets(_ text: String) -> String {
        let scalars = text.unicodeScalars
        var result = String.UnicodeScalarView()
        var rest = scalars.startIndex
        for span in secrets(in: scalars[...], paths: false) {
            result += scalars[rest..<span.range.lowerBound]
            if span.isTail { result.append("…") }
            rest = span.range.upperBound
        }
        guard rest > scalars.startIndex else { return text }
        return String(result + scalars[rest...])
    }

    /// The text with `*` for each column of what is hidden, so that columns stay where they are.
    ///
    /// - Parameters:
    ///   - paths: whether what follows the host is hidden, too, as of a webhook.
    ///   - isCutBefore: whether its first word may be the rest of an address.
    ///   - isCutAfter: whether its last word may be the beginning of one.
    package static func masked(_ text: String, paths: Bool, isCutBefore: Bool = false, isCutAfter: Bool = false)
        -> String
    {
        let scalars = text.unicodeScalars
        var spans = secrets(in: scalars[...], paths: paths)
        if isCutBefore {
            let word = scalars.prefix { !isEnd($0) }
            if word.contains(where: { "?&=@/".unicodeScalars.contains($0) }) {
                spans.removeAll { $0.range.lowerBound < word.endIndex }
                spans.insert(Span(range: word.startIndex..<word.endIndex), at: 0)
            }
        }
        if isCutAfter, let slashes = scalars.lastIndex(of: "/").map({ scalars.index(after: $0) }),
            scalars[..<slashes].suffix(3).elementsEqual("://".unicodeScalars),
            !scalars[slashes...].contains(where: { isEnd($0) || "@?#".unicodeScalars.contains($0) })
        {
            spans.append(Span(range: slashes..<scalars.endIndex))
        }
        var result = String.UnicodeScalarView()
        var rest = scalars.startIndex
        for span in spans where span.range.lowerBound >= rest {
            result += scalars[rest..<span.range.lowerBound]
            let width = scalars[span.range].reduce(0) { $0 + PrintableScalars.width(of: $1) }
            result += String(repeating: "*", count: width).unicodeScalars
            rest = span.range.upperBound
        }
        guard rest > scalars.startIndex else { return text }
        return String(result + scalars[rest...])
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private struct Span {
        var range: Range<String.UnicodeScalarView.Index>
        /// It reaches to the end of the address.
        var isTail = false
    }

    private static let ends: Set<Unicode.Scalar> = ["\"", "'", "<", ">", "`", "\\"]

    /// In order, without overlaps.
    private static func secrets(in text: Scalars, paths: Bool) -> [Span] {
        var spans: [Span] = []
        var rest = text
        // What has neither has no secret.
        while let mark = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) {
            let start = rest[..<mark].lastIndex(where: isEnd).map { rest.index(after: $0) } ?? rest.startIndex
            let end = rest[mark...].firstIndex(where: isEnd) ?? rest.endIndex
            spans += secrets(inWord: rest[start..<end], paths: paths)
            rest = rest[end...]
        }
        return spans
    }

    private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || ends.contains(scalar)
    }

    /// By scalars: a combining mark must not hide where the query begins.
    private static func secrets(inWord word: Scalars, paths: Bool) -> [Span] {
        var spans: [Span] = []
        var rest = word
        var isAddress = false
        while let slashes = firstSlashes(in: rest) {
            let isWhole = slashes > word.startIndex && word[word.index(before: slashes)] == ":"
            isAddress = isAddress || isWhole
            let authority = word[word.index(slashes, offsetBy: 2)...]
            let host = authority.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let at = host.lastIndex(of: "@") { spans.append(Span(range: host.startIndex..<word.index(after: at))) }
            rest = word[host.endIndex...]
            if isWhole, paths, rest.first == "/" {
                return spans + [Span(range: rest.index(after: rest.startIndex)..<word.endIndex, isTail: true)]
            }
        }
        guard let mark = rest.firstIndex(where: { $0 == "?" || (isAddress && $0 == "#") }) else { return spans }
        let tail = rest.index(after: mark)..<word.endIndex
        return isAddress || word[tail].contains("=") ? spans + [Span(range: tail, isTail: true)] : spans
    }

    /// Where the first `//` before a query stands.
    private static func firstSlashes(in text: Scalars) -> Scalars.Index? {
        var rest = text.prefix { $0 != "?" }
        while let slash = rest.firstIndex(of: "/") {
            let next = rest.index(after: slash)
            if next < rest.endIndex, rest[next] == "/" { return slash }
            rest = rest[next...]
        }
        return nil
    }
}
