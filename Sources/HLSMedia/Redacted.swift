/// What may hold a URL, a key or a header field, and shows nothing of it: neither printed nor dumped.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The type's name.
    package var description: String { "\(Self.self)(redacted)" }
    /// The type's name.
    package var debugDescription: String { description }
    /// Without children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
