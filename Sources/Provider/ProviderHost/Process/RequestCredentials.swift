package import ProviderKit

/// The credentials of a request, looked up when it is sent: they include those renewed by the answer before it, even if
/// the request was queued meanwhile.
///
/// Both closures are called under the provider's lock: they must not wait, and must not call the provider.
package struct RequestCredentials: Sendable {
    /// The credentials to send.
    package var current: @Sendable () -> Secret<JSONValue>?
    /// Takes renewed credentials from an answer, even to an abandoned request: the old ones may be invalid after it.
    package var renew: @Sendable (Secret<JSONValue>) -> Void
    /// Whether the plugin may renew them for this request; otherwise it answers `renewal_needed`.
    package var mayRenew: Bool

    /// Makes them of two closures.
    package init(
        mayRenew: Bool = true, current: @escaping @Sendable () -> Secret<JSONValue>?,
        renew: @escaping @Sendable (Secret<JSONValue>) -> Void
    ) {
        self.mayRenew = mayRenew
        self.current = current
        self.renew = renew
    }
}

extension AnswerLine.Reply {
    /// New credentials in an answer to any request but a login, errors and faults included.
    var renewed: Secret<JSONValue>? {
        switch self {
        case .resolution(let resolution): resolution.credentials
        case .listing(let listing): listing.credentials
        case .courses(let list): list.credentials
        case .recognition(let answer): answer.credentials
        case .error(let error): error.credentials
        case .wrong(_, let renewed): renewed
        case .login: nil
        }
    }
}
