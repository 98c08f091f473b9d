public import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A user name and password, sent as `Authorization: Basic`.
///
/// Related: RFC 7617
public struct BasicLogin: Sendable, Hashable, PrintsRedacted {
    public var username: String
    public var password: Secret<String>

    public init(username: String, password: String) {
        self.username = username
        self.password = Secret(password)
    }

    /// The value of `Authorization` after `Basic `: user name and password in base64.
    public var encoded: Secret<String> {
        Secret(Data("\(username):\(password.value)".utf8).base64EncodedString())
    }

    /// The login as the token of a resolution.
    public var token: Token { Token(encoded.value, in: .header, name: "Authorization", prefix: "Basic ") }
}
