/// A value that may hold a URL, a token or another secret: every description of it names its type, and nothing of its
/// contents.
public protocol PrintsRedacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension PrintsRedacted {
    /// The type's name with a placeholder.
    public var description: String { "\(Self.self)(<redacted>)" }

    /// The same as the description.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
