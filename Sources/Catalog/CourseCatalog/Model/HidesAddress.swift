/// A value with a URL, which may be signed: every description of it names its type, and nothing of its contents.
/// `RedactedInPrint` of the transfer and `PrintsRedacted` of the protocol do the same in rooms that this one may not
/// import.
package protocol HidesAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension HidesAddress {
    package var description: String { "\(Self.self)(<redacted>)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CoverSource: HidesAddress {}
