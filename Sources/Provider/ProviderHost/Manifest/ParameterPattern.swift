import Synchronization

/// A regular expression of a manifest, compiled once.
///
/// It may match anywhere in a value, as in JSON Schema; `^` and `$` anchor it. Swift's syntax, which includes the
/// ECMA-262 patterns used in manifests; it matches by Unicode scalars.
package final class ParameterPattern: Sendable, Hashable {
    /// The expression as written.
    package let source: String
    private let matcher: Mutex<Matcher>

    private struct Matcher {
        // A Regex isn't Sendable, since it may call back into code; one made from text doesn't.
        let regex: Regex<AnyRegexOutput>
        /// The last text: thousands of videos have the same extension.
        var last: (text: String, isMatch: Bool)?

        mutating func matches(_ text: String) -> Bool {
            if let last, last.text.utf8.elementsEqual(text.utf8) { return last.isMatch }
            let isMatch = (try? regex.firstMatch(in: text)) != nil
            last = (text, isMatch)
            return isMatch
        }
    }

    /// Compiles `source`; nil if it isn't a regular expression.
    package init?(_ source: String) {
        guard let regex = try? Regex(source) else { return nil }
        self.source = source
        matcher = Mutex(Matcher(regex: regex.matchingSemantics(.unicodeScalar)))
    }

    /// Whether it matches in `text`.
    package func matches(_ text: String) -> Bool { matcher.withLock { $0.matches(text) } }

    /// Whether both have the same source.
    package static func == (a: ParameterPattern, b: ParameterPattern) -> Bool { a.source == b.source }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}
