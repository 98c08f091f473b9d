import Synchronization

/// A regular expression of a manifest, compiled once.
///
/// It may match anywhere in a value, as in JSON Schema; `^` and `$` anchor it. Swift's syntax, which includes the
/// ECMA-262 patterns used in manifests; it matches by Unicode scalars.
package final class ParameterPattern: Sendable, Hashable {
    /// The expression as written.
    package let source: String
    // A Regex isn't Sendable, since it may call back into code; one made from text doesn't.
    private let regex: Mutex<Regex<AnyRegexOutput>>

    /// Compiles `source`; nil if it isn't a regular expression.
    package init?(_ source: String) {
        guard let regex = try? Regex(source) else { return nil }
        self.source = source
        self.regex = Mutex(regex.matchingSemantics(.unicodeScalar))
    }

    /// Whether it matches in `text`.
    package func matches(_ text: String) -> Bool {
        regex.withLock { (try? $0.firstMatch(in: text)) != nil }
    }

    /// Whether both have the same source.
    package static func == (a: ParameterPattern, b: ParameterPattern) -> Bool { a.source == b.source }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}
