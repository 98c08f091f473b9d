#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every request has in its `params`.
struct RequestHead: Codable {
    var user: String
    var now: Date
    var credentials: Secret<JSONValue>?
    var settings: HostSettings
    var dataFolder: String?
    var mayRenew: Bool

    private enum CodingKeys: String, CodingKey {
        case user, now, credentials, settings, renew
        case dataFolder = "data_folder"
    }

    init(
        _ user: String, at now: Date, credentials: Secret<JSONValue>?, settings: HostSettings, dataFolder: String?,
        mayRenew: Bool = true
    ) {
        self.user = user
        self.now = now
        self.credentials = credentials
        self.settings = settings
        self.dataFolder = dataFolder
        self.mayRenew = mayRenew
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        user = try container.decode(String.self, forKey: .user)
        now = try container.decodeTimestamp(forKey: .now)
        credentials = try container.decodeIfPresent(Secret<JSONValue>.self, forKey: .credentials)
        settings = try container.decodeIfPresent(HostSettings.self, forKey: .settings) ?? HostSettings()
        dataFolder = try container.decodeIfPresent(String.self, forKey: .dataFolder)
        mayRenew = try container.decodeIfPresent(Bool.self, forKey: .renew) ?? true
    }

    /// Nil is written as null, so that every key is always there, but for `renew`, which isn't there if it is true.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(user, forKey: .user)
        try container.encode(Timestamp.text(now), forKey: .now)
        try container.encode(credentials, forKey: .credentials)
        try container.encode(settings, forKey: .settings)
        try container.encode(dataFolder, forKey: .dataFolder)
        if !mayRenew { try container.encode(false, forKey: .renew) }
    }
}
