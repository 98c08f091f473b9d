/// A value that may hold a URL, a token or another secret: every way of describing it says what kind of value it is, and
/// nothing of what is in it.
public protocol PrintsRedacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension PrintsRedacted {
    /// The type, and that there is something in it.
    public var description: String { "\(Self.self)(<redacted>)" }

    /// The same as the description.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
