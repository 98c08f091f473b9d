/// What may hold a URL, a token or a header field. However Swift prints a value (as text, for debugging, by `dump`), it
/// shows its description only, which is its name unless it says otherwise.
package protocol RedactedInPrint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedInPrint {
    package var description: String { "\(Self.self)(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
