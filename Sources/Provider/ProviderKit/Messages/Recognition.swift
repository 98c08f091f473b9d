#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Asks what is at an address that a user wants to download from.
public struct RecogniseRequest: Sendable, Hashable, PrintsRedacted, CredentialedRequest {
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
    /// What the user gave: usually an http or https URL, and any text of 1 byte to 8 KiB.
    public var address: String

    public init(
        user: String, now: Date, credentials: Secret<JSONValue>? = nil, settings: HostSettings = HostSettings(),
        address: String
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.address = address
    }
}

extension RecogniseRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case address
    }

    /// Decodes `params` of a `recognise`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = try RequestHead(from: decoder)
        (user, now, credentials) = (head.user, head.now, head.credentials)
        (settings, dataFolder, mayRenew) = (head.settings, head.dataFolder, head.mayRenew)
        address = try container.decode(String.self, forKey: .address)
    }

    /// Encodes `params` of a `recognise`. Nil is written as null, so that every key is always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try RequestHead(
            user, at: now, credentials: credentials, settings: settings, dataFolder: dataFolder,
            mayRenew: mayRenew
        ).encode(to: encoder)
        try container.encode(address, forKey: .address)
    }
}

/// What a provider makes of an address: a course that it lists, a video, or neither, since it isn't its own.
public struct Recognition: Sendable, Hashable, Codable, PrintsRedacted, CredentialedAnswer {
    /// A course that ``Provider/list(_:)`` lists.
    public struct Course: Sendable, Hashable, Codable, PrintsRedacted {
        /// Its title; nil for that of its listing.
        public var title: String?
        /// The parameters of the course in the catalog. They are stored, so no secret.
        public var parameters: [String: JSONValue]

        public init(title: String? = nil, parameters: [String: JSONValue]) {
            self.title = title
            self.parameters = parameters
        }
    }

    /// One video.
    public struct Video: Sendable, Hashable, Codable, PrintsRedacted {
        /// 1 to 1,024 bytes.
        public var id: String
        /// Its title; nil if its id is the title.
        public var title: String?
        /// The parameters of its course in the catalog, which are its own. They are stored, so no secret.
        public var parameters: [String: JSONValue]

        public init(id: String, title: String? = nil, parameters: [String: JSONValue]) {
            self.id = id
            self.title = title
            self.parameters = parameters
        }
    }

    /// Nil if the address isn't that of a course.
    public var course: Course?
    /// Nil if the address isn't that of one video.
    public var video: Video?
    /// New credentials (a refreshed token) that replace the old ones.
    public var credentials: Secret<JSONValue>?

    /// The address isn't this provider's.
    public init() {}

    /// The address is that of a course.
    public init(_ course: Course) { self.course = course }

    /// The address is that of a video.
    public init(_ video: Video) { self.video = video }
}
