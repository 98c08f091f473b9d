import Foundation
import ProviderKit
import TextFormats

/// The content of `credentials.json`: `{"version": 1, "providers": {NAME: {credentials, expires_at, saved_at}}}`.
struct CredentialsDocument: Sendable, Equatable {
    /// The reason why bytes aren't such a document.
    enum Problem: Error, Equatable {
        case damaged
        /// A later version.
        case newer
    }

    /// By the providers' names.
    var providers: [String: StoredCredentials] = [:]

    /// The limit on bytes that are read or written.
    static let longest = 8 << 20
    private static let version = 1

    init() {}

    /// Reads the content of a file.
    init(_ bytes: Data) throws(Problem) {
        guard let value = try? JSONReader.value(of: bytes), let version = value["version"]?.int, version >= Self.version
        else { throw .damaged }
        guard version == Self.version else { throw .newer }
        guard let body = try? JSONValueDecoder(value).decode(Body.self) else { throw .damaged }
        for (name, entry) in body.providers {
            guard let savedAt = Timestamp.date(entry.savedAt) else { throw .damaged }
            providers[name] = StoredCredentials(
                credentials: entry.credentials, expiresAt: entry.expiresAt.flatMap(Timestamp.date), savedAt: savedAt)
        }
    }

    /// The content of the file. Throws for a number that JSON doesn't have.
    func bytes() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let entries = providers.mapValues { stored in
            Entry(
                credentials: stored.credentials, expiresAt: stored.expiresAt.map(Timestamp.text),
                savedAt: Timestamp.text(stored.savedAt))
        }
        return try encoder.encode(Body(version: Self.version, providers: entries)) + [UInt8(ascii: "\n")]
    }

    private struct Body: Codable {
        var version: Int
        var providers: [String: Entry]
    }

    private struct Entry: Codable {
        var credentials: Secret<JSONValue>
        var expiresAt: String?
        var savedAt: String

        private enum CodingKeys: String, CodingKey {
            case credentials
            case expiresAt = "expires_at"
            case savedAt = "saved_at"
        }
    }
}
