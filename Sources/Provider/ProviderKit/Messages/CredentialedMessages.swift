/// A request that has a user's credentials with it.
protocol CredentialedRequest {
    var user: String { get }
    var credentials: Secret<JSONValue>? { get set }
}

/// An answer that may bring new credentials with it.
protocol CredentialedAnswer: Encodable {
    var credentials: Secret<JSONValue>? { get set }
}
