/// A value that holds a URL, which may be signed: every way of describing it says what kind of value it is, and nothing of
/// what is in it. `RedactedInPrint` of the transfer and `PrintsRedacted` of the protocol do the same in rooms that this one may
/// not know.
package protocol HidesAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension HidesAddress {
    package var description: String { "\(Self.self)(<redacted>)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CoverSource: HidesAddress {}
