package import ProviderKit

/// The credentials that go with a request, looked up when it is sent: what the answer before it renewed is in it already, also
/// if the request was waiting for its turn meanwhile.
///
/// Both are called under the provider's lock: they must not wait, and must not call the provider.
package struct RequestCredentials: Sendable {
    /// What to send along.
    package var current: @Sendable () -> Secret<JSONValue>?
    /// Takes what an answer brought, also one that nobody waits for any more: the old may be worth nothing after it.
    package var renew: @Sendable (Secret<JSONValue>) -> Void

    /// Makes them of two closures.
    package init(
        current: @escaping @Sendable () -> Secret<JSONValue>?, renew: @escaping @Sendable (Secret<JSONValue>) -> Void
    ) {
        self.current = current
        self.renew = renew
    }
}

extension AnswerLine.Reply {
    /// New credentials in an answer to a request for media or a list, an error included.
    var renewed: Secret<JSONValue>? {
        switch self {
        case .resolution(let resolution): resolution.credentials
        case .listing(let listing): listing.credentials
        case .error(let error): error.credentials
        case .login, .wrong: nil
        }
    }
}
