#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Passes the secrets that the user typed to the provider.
public struct LoginRequest: Sendable, Hashable {
    public var user: String
    /// The time to sign with.
    public var now: Date
    /// The credentials that an earlier `login` stored for this user, if any.
    public var credentials: Secret<JSONValue>?
    /// The network settings of the host.
    public var settings: HostSettings
    /// A folder of the plugin's own for this user, to keep data between runs; nil if there is none. The host sets it.
    public var dataFolder: String?
    /// The user's parameters for the login (`--set KEY=VALUE`), as described by the manifest's `parameters`.
    public var parameters: [String: JSONValue]
    /// The secrets by the names in the manifest's `credentials`.
    public var secrets: Secret<[String: String]>
    /// What the last ``LoginStep`` wants back; nil at first.
    public var state: Secret<JSONValue>?
    /// How the browser came back, if the last ``LoginStep`` waited for it.
    public var redirect: LoginRedirect?

    public init(
        user: String, now: Date, credentials: Secret<JSONValue>? = nil, settings: HostSettings = HostSettings(),
        parameters: [String: JSONValue] = [:], secrets: [String: String]
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.parameters = parameters
        self.secrets = Secret(secrets)
    }
}

extension LoginRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case parameters, secrets, state, redirect
    }

    /// Decodes `params` of a `login`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = try RequestHead(from: decoder)
        (user, now, credentials) = (head.user, head.now, head.credentials)
        (settings, dataFolder) = (head.settings, head.dataFolder)
        parameters = try container.decodeIfPresent([String: JSONValue].self, forKey: .parameters) ?? [:]
        secrets = try container.decode(Secret<[String: String]>.self, forKey: .secrets)
        state = try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .state)
        redirect = try container.decodeIfPresent(LoginRedirect.self, forKey: .redirect)
    }

    /// Encodes `params` of a `login`. Nil is written as null, so that every key is always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try RequestHead(
            user, at: now, credentials: credentials, settings: settings, dataFolder: dataFolder
        ).encode(to: encoder)
        try container.encode(parameters, forKey: .parameters)
        try container.encode(secrets, forKey: .secrets)
        try container.encodeIfPresent(state, forKey: .state)
        try container.encodeIfPresent(redirect, forKey: .redirect)
    }
}

/// The result of a login: credentials to store for this user and to pass back in every request, or the ``step`` before
/// them.
public struct Login: Sendable, Hashable {
    /// Any data that the provider wants back. It needn't contain the secrets themselves. Null if there is a ``step``.
    public var credentials: Secret<JSONValue>
    /// The expiry of the credentials; nil if it isn't known.
    public var expiresAt: Date?
    /// What the login needs next; nil if it is over.
    public var step: LoginStep?

    /// Makes the result of a login.
    public init(credentials: JSONValue, expiresAt: Date? = nil) {
        self.credentials = Secret(credentials)
        self.expiresAt = expiresAt
    }

    /// Makes an answer that leads to another request.
    public init(step: LoginStep) {
        credentials = Secret(.null)
        self.step = step
    }
}

extension Login: Codable {
    private enum CodingKeys: String, CodingKey {
        case credentials
        case expiresAt = "expires_at"
    }

    /// Decodes the `result` of a `login`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let steps = try decoder.container(keyedBy: LoginStep.CodingKeys.self)
        if !container.contains(.credentials), LoginStep.CodingKeys.allCases.contains(where: steps.contains) {
            self = Login(step: try LoginStep(from: decoder))
            return
        }
        credentials = try container.decode(Secret<JSONValue>.self, forKey: .credentials)
        guard credentials.value != .null else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                .init(codingPath: decoder.codingPath + [CodingKeys.credentials], debugDescription: "is null"))
        }
        expiresAt = try container.decodeTimestampIfPresent(forKey: .expiresAt)
    }

    /// Encodes the `result` of a `login`.
    public func encode(to encoder: any Encoder) throws {
        if let step { return try step.encode(to: encoder) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(credentials, forKey: .credentials)
        try container.encodeIfPresent(expiresAt.map(Timestamp.text), forKey: .expiresAt)
    }
}
