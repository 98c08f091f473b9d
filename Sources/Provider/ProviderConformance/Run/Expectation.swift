package import ProviderKit

/// What the answer for a video has to be, by the keys of a resolution, or the kind of an error as `error`.
///
/// A star in a text matches any part of it; an object needs the members that are named; null means that there is none.
package struct Expectation: Sendable, Equatable, PrintsRedacted {
    /// The key for the kind of an error.
    static let error = "error"

    package var values: [String: JSONValue]

    package init(_ values: [String: JSONValue]) { self.values = values }

    /// Whether an error is expected.
    var isRefusal: Bool { (values[Self.error] ?? .null) != .null }

    /// A key whose value is another one; nil if all of them are as expected.
    struct Difference: Equatable {
        var key: String
        var expected: String
        var found: String?
    }

    /// The first difference, in the order of the keys.
    func difference(from answered: CheckAnswer) -> Difference? {
        for (key, expected) in values.sorted(by: { $0.key < $1.key }) {
            let found = key == Self.error ? answered.raw?["error"]?["data"]?["kind"] : answered.raw?["result"]?[key]
            guard !Self.matches(expected, found ?? .null) else { continue }
            return Difference(
                key: key, expected: Self.text(expected) ?? "null", found: found.flatMap(Self.text))
        }
        return nil
    }

    static func matches(_ expected: JSONValue, _ found: JSONValue) -> Bool {
        switch (expected, found) {
        case (.string(let pattern), .string(let text)): Self.matches(pattern[...], text[...])
        case (.object(let members), .object(let others)):
            members.allSatisfy { matches($0.value, others[$0.key] ?? .null) }
        case (.array(let values), .array(let others)):
            values.count == others.count && zip(values, others).allSatisfy { matches($0, $1) }
        case (.int, .double), (.double, .int): expected.double == found.double
        case (.string("*"), .null): false
        case (.string("*"), _): true
        default: expected == found
        }
    }

    /// Whether a text is of a pattern; a star is any part, also an empty one.
    static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return pattern == text }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.count >= last.count && rest.hasSuffix(last)
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text
        default:
            String(
                String(decoding: CheckRequest.line(["x": value]), as: UTF8.self).dropFirst(#"{"x":"#.count).dropLast())
        }
    }
}
