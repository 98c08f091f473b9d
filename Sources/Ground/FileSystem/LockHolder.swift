package import Foundation
import TextFormats

/// The holder of a lock, as recorded by itself. Its text is safe to print, and may be wrong.
package struct LockHolder: Sendable, Hashable {
    package var host: String
    /// Its process id.
    package var pid: Int
    /// When it took the lock.
    package var since: Date
    /// Its catalogs; at most 100 are recorded.
    package var catalogs: [String]
    /// The user's name; nil if the lock belongs to one user.
    package var user: String?

    package init(host: String, pid: Int, since: Date, catalogs: [String], user: String? = nil) {
        self.user = user
        self.host = host
        self.pid = pid
        self.since = since
        self.catalogs = catalogs
    }

    /// This process on this machine.
    package static func current(user: String? = nil, since: Date = Date(), catalogs: [String] = []) -> LockHolder {
        LockHolder(
            host: HostName.current, pid: Int(ProcessInfo.processInfo.processIdentifier), since: since,
            catalogs: catalogs, user: user)
    }

    /// The limit on bytes read from a lock file.
    static let longest = 64 * 1024
    private static let mostCatalogs = 100

    private struct Written: Codable {
        var host: String
        var pid: Int
        var started: String
        var catalogs: [String]
        var user: String?
    }

    /// One line of JSON. Catalogs beyond 100, or beyond the limit, are omitted.
    var line: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var written = Written(
            host: host, pid: pid,
            started: Timestamp.text(Date(timeIntervalSince1970: since.timeIntervalSince1970.rounded(.down))),
            catalogs: Array(catalogs.prefix(Self.mostCatalogs)), user: user)
        while true {
            guard var line = try? encoder.encode(written) else { return Data() }
            line.append(UInt8(ascii: "\n"))
            if line.count <= Self.longest || written.catalogs.isEmpty { return line }
            written.catalogs.removeLast()
        }
    }

    /// Nil for anything else: it may be half written, or somebody else's.
    init?(line: Data) {
        guard line.count <= Self.longest, let written = try? JSONReader.decode(Written.self, from: line),
            let since = Timestamp.date(written.started), written.pid > 0
        else { return nil }
        self.init(
            host: TextSanitizer.of(written.host, limit: 255), pid: written.pid, since: since,
            catalogs: written.catalogs.prefix(Self.mostCatalogs).map { TextSanitizer.of($0, limit: 4096) },
            user: written.user.map { TextSanitizer.of($0, limit: 255) })
    }
}
