/// What a login needs before it can give credentials: the answer to a ``LoginRequest`` that leads to another one.
public struct LoginStep: Sendable, Hashable, PrintsRedacted {
    /// A text that the user is asked for.
    public struct Question: Sendable, Hashable {
        /// Its name in the next request's ``LoginRequest/secrets``.
        public var name: String
        /// What the user reads; nil for the name.
        public var label: String?
        /// Whether it isn't shown while it is typed.
        public var secret: Bool

        public init(name: String, label: String? = nil, secret: Bool = true) {
            self.name = name
            self.label = label
            self.secret = secret
        }
    }

    /// What the user is asked for; the next request has it.
    public var ask: [Question]
    /// A page that the user opens in a browser. `{redirect}` in it becomes the address that ``redirect`` waits at,
    /// percent-encoded.
    public var open: String?
    /// A code that the user types there.
    public var show: String?
    /// The seconds until the next request, while the user confirms the login elsewhere: 1 to 60.
    public var wait: Int?
    /// The value of the parameter `state` with which the browser is sent back to this machine: the host waits for it at
    /// an address of its own (RFC 8252 §7.3). The next request has what came as ``LoginRequest/redirect``.
    public var redirect: String?
    /// What the provider wants back in the next request. Kept in memory only.
    public var state: Secret<JSONValue>?

    public init(
        ask: [Question] = [], open: String? = nil, show: String? = nil, wait: Int? = nil, redirect: String? = nil,
        state: JSONValue? = nil
    ) {
        self.ask = ask
        self.open = open
        self.show = show
        self.wait = wait
        self.redirect = redirect
        self.state = state.map { Secret($0) }
    }

    /// Whether it can be answered without a person, given these secrets. Who has what a page leads to doesn't need the
    /// page.
    public func needsNobody(with secrets: some Collection<String>) -> Bool {
        let needsNoPage = open == nil && show == nil || !ask.isEmpty && wait == nil
        return needsNoPage && redirect == nil && ask.allSatisfy { secrets.contains($0.name) }
    }
}

extension LoginStep.Question: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, label, secret
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        label = try container.decodeIfPresent(String.self, forKey: .label)
        secret = try container.decodeIfPresent(Bool.self, forKey: .secret) ?? true
    }
}

extension LoginStep: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case ask, open, show, wait, redirect, state
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ask = try container.decodeIfPresent([Question].self, forKey: .ask) ?? []
        open = try container.decodeIfPresent(String.self, forKey: .open)
        show = try container.decodeIfPresent(String.self, forKey: .show)
        wait = try container.decodeIfPresent(Int.self, forKey: .wait)
        redirect = try container.decodeIfPresent(String.self, forKey: .redirect)
        state = try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .state)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !ask.isEmpty { try container.encode(ask, forKey: .ask) }
        try container.encodeIfPresent(open, forKey: .open)
        try container.encodeIfPresent(show, forKey: .show)
        try container.encodeIfPresent(wait, forKey: .wait)
        try container.encodeIfPresent(redirect, forKey: .redirect)
        try container.encodeIfPresent(state, forKey: .state)
    }
}

/// How the user's browser came back to this machine.
public struct LoginRedirect: Sendable, Hashable, Codable, PrintsRedacted {
    /// The address that it came to, without a query: `redirect_uri` in the words of RFC 6749.
    public var uri: String
    /// The fields of its query: `code` or `error`, and others.
    public var query: [String: String]

    public init(uri: String, query: [String: String]) {
        self.uri = uri
        self.query = query
    }

    /// The values that no message may have: all but why there is no `code` (RFC 6749 §4.1.2.1), which the user reads.
    package var secrets: [String] {
        query.filter { !["error", "error_description", "error_uri"].contains($0.key) }.map(\.value)
    }
}
