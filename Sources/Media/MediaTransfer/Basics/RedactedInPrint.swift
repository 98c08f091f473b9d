/// A type that may hold a URL, a token or a header field. Every way of printing it (as text, for debugging, by `dump`)
/// shows only its description, which by default is its name.
package protocol RedactedInPrint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedInPrint {
    package var description: String { "\(Self.self)(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
