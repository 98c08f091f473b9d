#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Asks for one page of the courses that a user has at a provider.
public struct CoursesRequest: Sendable, Hashable, PrintsRedacted, CredentialedRequest {
    public var user: String
    /// The time to sign with.
    public var now: Date
    /// The credentials that `login` stored for this user, if any.
    public var credentials: Secret<JSONValue>?
    /// The network settings of the host.
    public var settings: HostSettings
    /// A folder of the plugin's own for this user, to keep data between runs; nil if there is none. The host sets it.
    public var dataFolder: String?
    /// Whether it may renew the credentials. If not, ``renewCredentials(at:_:)`` throws
    /// ``ProviderError/Kind/renewalNeeded``. The host sets it.
    public var mayRenew = true
    /// What the user has set of the provider's parameters, such as its server. None is required.
    public var parameters: [String: JSONValue]
    /// The provider's own marker of the last page's end; nil for the first page.
    public var cursor: String?

    public init(
        user: String, now: Date, credentials: Secret<JSONValue>? = nil, settings: HostSettings = HostSettings(),
        parameters: [String: JSONValue] = [:], cursor: String? = nil
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.parameters = parameters
        self.cursor = cursor
    }
}

extension CoursesRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case parameters, cursor
    }

    /// Decodes `params` of a `courses`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = try RequestHead(from: decoder)
        (user, now, credentials) = (head.user, head.now, head.credentials)
        (settings, dataFolder, mayRenew) = (head.settings, head.dataFolder, head.mayRenew)
        parameters = try container.decodeIfPresent([String: JSONValue].self, forKey: .parameters) ?? [:]
        cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    }

    /// Encodes `params` of a `courses`. Nil is written as null, so that every key is always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try RequestHead(
            user, at: now, credentials: credentials, settings: settings, dataFolder: dataFolder,
            mayRenew: mayRenew
        ).encode(to: encoder)
        try container.encode(parameters, forKey: .parameters)
        try container.encode(cursor, forKey: .cursor)
    }
}

/// One page of the courses that a user has at a provider.
public struct CourseList: Sendable, Hashable, Codable, PrintsRedacted, CredentialedAnswer {
    /// A course that ``Provider/list(_:)`` lists.
    public struct Course: Sendable, Hashable, Codable, PrintsRedacted {
        /// Its id, unique among the user's courses. Stored and shown, so no secret.
        public var id: String
        /// Its title; nil if its id is the title.
        public var title: String?
        /// Its parameters in the catalog, merged over those that the user has set. They are stored, so no secret.
        public var parameters: [String: JSONValue]
        /// When its first session is, or its term begins.
        public var begins: Date?
        /// When it ends.
        public var ends: Date?

        public init(
            id: String, title: String? = nil, parameters: [String: JSONValue] = [:], begins: Date? = nil,
            ends: Date? = nil
        ) {
            self.id = id
            self.title = title
            self.parameters = parameters
            self.begins = begins
            self.ends = ends
        }

        private enum CodingKeys: String, CodingKey {
            case id, title, parameters, begins, ends
        }

        /// Decodes a course; everything but its id is optional.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                id: try container.decode(String.self, forKey: .id),
                title: try container.decodeIfPresent(String.self, forKey: .title),
                parameters: try container.decodeIfPresent([String: JSONValue].self, forKey: .parameters) ?? [:],
                begins: try container.decodeTimestampIfPresent(forKey: .begins),
                ends: try container.decodeTimestampIfPresent(forKey: .ends))
        }

        /// Encodes a course without empty values.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encodeIfPresent(title?.boundTitle, forKey: .title)
            if !parameters.isEmpty { try container.encode(parameters, forKey: .parameters) }
            try container.encodeIfPresent(begins.map(Timestamp.text), forKey: .begins)
            try container.encodeIfPresent(ends.map(Timestamp.text), forKey: .ends)
        }
    }

    /// In the order in which the user sees them.
    public var courses: [Course]
    /// The marker of this page's end, for the request of the next one; nil on the last page.
    public var next: String?
    /// New credentials (a refreshed token) that replace the old ones.
    public var credentials: Secret<JSONValue>?

    public init(courses: [Course], next: String? = nil, credentials: Secret<JSONValue>? = nil) {
        self.courses = courses
        self.next = next
        self.credentials = credentials
    }
}
