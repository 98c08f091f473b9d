import Synchronization

/// A regular expression of a manifest, compiled once.
///
/// It is searched for anywhere in a value, as JSON Schema says; `^` and `$` anchor it. Swift's syntax, which holds
/// what ECMA-262 patterns in manifests use; it matches by Unicode scalars.
package final class ParameterPattern: Sendable, Hashable {
    /// The expression as it is written.
    package let source: String
    // A Regex isn't Sendable, since it may call back into code; one made from text doesn't.
    private let regex: Mutex<Regex<AnyRegexOutput>>

    /// Compiles `source`; nil if it is no regular expression.
    package init?(_ source: String) {
        guard let regex = try? Regex(source) else { return nil }
        self.source = source
        self.regex = Mutex(regex.matchingSemantics(.unicodeScalar))
    }

    /// Whether it is found in `text`.
    package func matches(_ text: String) -> Bool {
        regex.withLock { (try? $0.firstMatch(in: text)) != nil }
    }

    /// Whether both are written the same.
    package static func == (a: ParameterPattern, b: ParameterPattern) -> Bool { a.source == b.source }

    /// Hashes what is written.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}
