/// What was taken out of recorded exchanges.
package enum FixtureRedaction: Sendable, Hashable {
    /// The value of a header.
    case field(String)
    /// A given secret.
    case credential
    /// The value of a query field.
    case query(String)
    /// The value of a JSON object's member, or of an element or attribute of XML.
    case member(String)
    /// A JSON web token.
    case webToken
    /// An e-mail address.
    case mail
    /// A whole body that can't be read as text: compressed, or binary and no picture or sound.
    case body
}
