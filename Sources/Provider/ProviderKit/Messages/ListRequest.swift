#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Asks for one page of a course's contents.
public struct ListRequest: Sendable, Hashable, PrintsRedacted, CredentialedRequest {
    public struct Course: Sendable, Hashable, Codable, PrintsRedacted {
        /// The id that the catalog gives it.
        public var id: String
        /// Its title; the id if the catalog has none.
        public var title: String
        /// The catalog's parameters for the provider.
        public var parameters: [String: JSONValue]

        /// Makes a course. The default title is its id.
        public init(id: String, title: String? = nil, parameters: [String: JSONValue] = [:]) {
            self.id = id
            self.title = title ?? id
            self.parameters = parameters
        }
    }

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
    public var course: Course
    /// The provider's own marker of the last page's end; nil for the first page.
    public var cursor: String?
    /// The ``Listing/known`` of the last complete listing, at most 4 KiB; nil on later pages, and if there was none.
    /// The answer may then be ``Listing/unchanged``.
    public var known: String?

    public init(
        user: String, now: Date, credentials: Secret<JSONValue>? = nil, settings: HostSettings = HostSettings(),
        course: Course, cursor: String? = nil, known: String? = nil
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.course = course
        self.cursor = cursor
        self.known = known
    }
}

extension ListRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case course, cursor, known
    }

    /// Decodes `params` of a `list`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = try RequestHead(from: decoder)
        (user, now, credentials) = (head.user, head.now, head.credentials)
        (settings, dataFolder, mayRenew) = (head.settings, head.dataFolder, head.mayRenew)
        course = try container.decode(Course.self, forKey: .course)
        cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
        known = try container.decodeIfPresent(String.self, forKey: .known)
    }

    /// Encodes `params` of a `list`. Nil is written as null, so that every key is always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try RequestHead(
            user, at: now, credentials: credentials, settings: settings, dataFolder: dataFolder,
            mayRenew: mayRenew
        ).encode(to: encoder)
        try container.encode(course, forKey: .course)
        try container.encode(cursor, forKey: .cursor)
        try container.encode(known, forKey: .known)
    }
}
