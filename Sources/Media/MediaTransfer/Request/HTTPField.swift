/// One header field of a request. Its description hides the value, which may be a token.
package struct HTTPField: Sendable, Hashable, RedactedInPrint {
    /// A token of RFC 9110 §5.6.2, in any case.
    package var name: String
    /// Without line breaks.
    package var value: String

    /// Checked when it is sent.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    package var description: String { "\(name): (redacted)" }

    /// Whether the field's name alone makes it private to one origin.
    package var isPrivateByName: Bool {
        let name = name.lowercased()
        return name == "authorization" || name == "cookie" || name.hasPrefix("proxy-")
    }

    /// Whether the field can be sent: its name is a token, its value has no line break or other control character.
    var isWellFormed: Bool {
        !name.isEmpty && name.utf8.allSatisfy(ASCII.isTokenCharacter)
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}
