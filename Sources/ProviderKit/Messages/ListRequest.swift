#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Asks for one page of what a course holds.
public struct ListRequest: Sendable, Hashable, PrintsRedacted {
    /// The course asked for.
    public struct Course: Sendable, Hashable, Codable, PrintsRedacted {
        /// The id that the catalog gives it.
        public var id: String
        /// Its title; the id where the catalog has none.
        public var title: String
        /// What the catalog says for the provider.
        public var parameters: [String: JSONValue]

        /// Makes a course. Without a title it is called by its id.
        public init(id: String, title: String? = nil, parameters: [String: JSONValue] = [:]) {
            self.id = id
            self.title = title ?? id
            self.parameters = parameters
        }
    }

    /// For whom it is.
    public var user: String
    /// The clock to sign with.
    public var now: Date
    /// What `login` stored for this user, if anything.
    public var credentials: Secret<JSONValue>?
    /// How the host reaches the network.
    public var settings: HostSettings
    /// A folder of the plugin's own for this user, for what is worth keeping between runs; nil where there is none. The host
    /// fills it in.
    public var dataFolder: String?
    /// The course asked for.
    public var course: Course
    /// Where the last page ended, in the provider's own words; nil for the first page.
    public var cursor: String?

    /// Makes a request.
    public init(
        user: String, now: Date, credentials: Secret<JSONValue>? = nil, settings: HostSettings = HostSettings(),
        course: Course, cursor: String? = nil
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.course = course
        self.cursor = cursor
    }
}

extension ListRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case user, now, credentials, settings, course, cursor
        case dataFolder = "data_folder"
    }

    /// Decodes `params` of a `list`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        user = try container.decode(String.self, forKey: .user)
        now = try container.decodeTimestamp(forKey: .now)
        credentials = try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .credentials)
        settings = try container.decodeIfPresent(HostSettings.self, forKey: .settings) ?? HostSettings()
        dataFolder = try container.decodeIfPresent(String.self, forKey: .dataFolder)
        course = try container.decode(Course.self, forKey: .course)
        cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    }

    /// Encodes `params` of a `list`. What is nil is written as null, so that every key is always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(user, forKey: .user)
        try container.encode(Timestamp.text(now), forKey: .now)
        try container.encode(credentials, forKey: .credentials)
        try container.encode(settings, forKey: .settings)
        try container.encode(dataFolder, forKey: .dataFolder)
        try container.encode(course, forKey: .course)
        try container.encode(cursor, forKey: .cursor)
    }
}
