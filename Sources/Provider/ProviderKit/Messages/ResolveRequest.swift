#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Asks for the current location of one video's media.
public struct ResolveRequest: Sendable, Hashable, CredentialedRequest {
    public struct Video: Sendable, Hashable, Codable, PrintsRedacted {
        /// The id that the catalog gives it.
        public var id: String
        /// Its title; the id if the catalog has none.
        public var title: String
        /// The catalog's parameters for the provider, inherited values included.
        public var parameters: [String: JSONValue]

        /// Makes a video. The default title is its id.
        public init(id: String, title: String? = nil, parameters: [String: JSONValue] = [:]) {
            self.id = id
            self.title = title ?? id
            self.parameters = parameters
        }
    }

    /// The course or chapter that the video belongs to.
    public struct Place: Sendable, Hashable, Codable {
        /// The id that the catalog gives it.
        public var id: String
        /// Its title; the id if the catalog has none.
        public var title: String

        /// Makes a course or chapter. The default title is its id.
        public init(id: String, title: String? = nil) {
            self.id = id
            self.title = title ?? id
        }
    }

    /// The reason why the previous answer can't be used any more.
    public struct Previous: Sendable, Hashable, Codable {
        public enum Reason: String, Sendable, Hashable, Codable {
            /// It expired, or is about to.
            case expired
            /// The server refused it.
            case rejected
        }

        public var reason: Reason
        /// The HTTP status of the refusal.
        public var status: Int?
        /// The server that refused it, as `https://media.example.org`; after a redirect not that of the answer.
        public var server: String?
        /// How many bytes of the video have arrived.
        public var bytes: Int64

        /// Makes a report about the last answer.
        public init(reason: Reason, status: Int? = nil, bytes: Int64 = 0, server: String? = nil) {
            self.reason = reason
            self.status = status
            self.bytes = bytes
            self.server = server
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
    public var video: Video
    public var course: Place
    /// Its chapter; nil if it is directly under the course.
    public var chapter: Place?
    /// The requested qualities in order of preference, in the catalog's form: `best`, `720p`, `2500k`, …
    public var quality: [String]
    /// The reason why the previous answer can't be used any more; nil for a first request.
    public var previous: Previous?

    public init(
        user: String, now: Date, credentials: Secret<JSONValue>? = nil, settings: HostSettings = HostSettings(),
        video: Video, course: Place, chapter: Place? = nil, quality: [String] = ["best"], previous: Previous? = nil
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.video = video
        self.course = course
        self.chapter = chapter
        self.quality = quality
        self.previous = previous
    }
}

extension ResolveRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case video, course, chapter, quality, previous
    }

    /// Decodes `params` of a `resolve`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = try RequestHead(from: decoder)
        (user, now, credentials) = (head.user, head.now, head.credentials)
        (settings, dataFolder, mayRenew) = (head.settings, head.dataFolder, head.mayRenew)
        video = try container.decode(Video.self, forKey: .video)
        course = try container.decode(Place.self, forKey: .course)
        chapter = try container.decodeIfPresent(Place.self, forKey: .chapter)
        quality = try container.decodeIfPresent([String].self, forKey: .quality) ?? ["best"]
        previous = try container.decodeIfPresent(Previous.self, forKey: .previous)
    }

    /// Encodes `params` of a `resolve`. Nil is written as null, so that every key is always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try RequestHead(
            user, at: now, credentials: credentials, settings: settings, dataFolder: dataFolder,
            mayRenew: mayRenew
        ).encode(to: encoder)
        try container.encode(video, forKey: .video)
        try container.encode(course, forKey: .course)
        try container.encode(chapter, forKey: .chapter)
        try container.encode(quality, forKey: .quality)
        try container.encode(previous, forKey: .previous)
    }
}
