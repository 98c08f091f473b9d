package import Foundation

/// Who holds a lock, as it wrote itself down. Text in it is harmless to print, and may be wrong.
package struct LockHolder: Sendable, Hashable {
    /// The machine's name.
    package var host: String
    /// Its process id.
    package var pid: Int
    /// When it took the lock.
    package var since: Date
    /// What it syncs; at most 100 are told.
    package var catalogs: [String]
    /// The user's name; nil where the lock is one user's.
    package var user: String?

    package init(host: String, pid: Int, since: Date, catalogs: [String], user: String? = nil) {
        self.user = user
        self.host = host
        self.pid = pid
        self.since = since
        self.catalogs = catalogs
    }

    /// The most that is read of a lock file.
    static let longest = 64 * 1024
    private static let mostCatalogs = 100

    private struct Written: Codable {
        var host: String
        var pid: Int
        /// RFC 3339 in Foundation's words: the protocol's reader of it is in a room that this one may not know, and that may
        /// not know this one.
        var started: String
        var catalogs: [String]
        var user: String?
    }

    /// One line of JSON. Catalogs beyond 100, or beyond what fits, are left out.
    var line: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var written = Written(
            host: host, pid: pid, started: since.formatted(.iso8601),
            catalogs: Array(catalogs.prefix(Self.mostCatalogs)), user: user)
        while true {
            guard var line = try? encoder.encode(written) else { return Data() }
            line.append(UInt8(ascii: "\n"))
            if line.count <= Self.longest || written.catalogs.isEmpty { return line }
            written.catalogs.removeLast()
        }
    }

    /// Nil for anything that isn't such a line: it may be half written, or somebody else's.
    init?(line: Data) {
        guard line.count <= Self.longest, let written = try? JSONDecoder().decode(Written.self, from: line),
            let since = try? Date(written.started, strategy: .iso8601), written.pid > 0
        else { return nil }
        self.init(
            host: HarmlessText.of(written.host, limit: 255), pid: written.pid, since: since,
            catalogs: written.catalogs.prefix(Self.mostCatalogs).map { HarmlessText.of($0, limit: 4096) },
            user: written.user.map { HarmlessText.of($0, limit: 255) })
    }
}
