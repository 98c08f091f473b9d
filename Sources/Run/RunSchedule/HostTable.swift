import DownloadStore
import Foundation

/// The servers of media: the number of connections to each host, and until when each server is left alone. A server is
/// a scheme, host and port in one text; one without a scheme is a host.
package struct HostTable: Sendable {
    private struct Facts {
        var isBlockedUntil = Date.distantPast
        var failures = 0
        /// The time of the last cool-down: failures of transfers that began before it are the same failure.
        var failedAt = Date.distantPast
        /// Connections that it takes at a time, as far as it has said so, and the time of the last change.
        var cap: Int?
        var capSince = Date.distantPast
    }

    /// The time without failures after which one more connection to a server is tried than it has taken.
    private static let calm = 300.0

    /// Connections to one host.
    var cap: Int
    private var servers: [String: Facts] = [:]
    /// The connections to each host, whatever the ports are.
    private(set) var connections: [String: Int] = [:]

    init(cap: Int) { self.cap = cap }

    /// The host of `https://media.example.org:8443`.
    package static func host(of server: String) -> String {
        let bytes = server.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return server
        }
        let rest = bytes[bytes.index(colon, offsetBy: 3)...]
        let port = rest.lastIndex(of: UInt8(ascii: ":")).flatMap { rest[$0...].contains(UInt8(ascii: "]")) ? nil : $0 }
        return String(Substring(rest[..<(port ?? rest.endIndex)]))
    }

    /// The time until which the server is left alone; nil if it is unknown.
    func blockedUntil(_ server: String) -> Date? { servers[server]?.isBlockedUntil }

    func isLeftAlone(_ server: String, at now: Date) -> Bool { servers[server]?.isBlockedUntil ?? now > now }

    /// The number of further connections to the server allowed now.
    func freeConnections(_ server: String, at now: Date) -> Int {
        guard !isLeftAlone(server, at: now) else { return 0 }
        return connections.isEmpty
            ? cap(of: server) : max(0, cap(of: server) - connections[Self.host(of: server), default: 0])
    }

    /// Connections to the server at a time.
    func cap(of server: String) -> Int { min(cap, servers[server]?.cap ?? cap) }

    mutating func occupy(_ server: String) { connections[Self.host(of: server), default: 0] += 1 }

    mutating func release(_ server: String) {
        let host = Self.host(of: server)
        guard let count = connections[host] else { return }
        connections[host] = count == 1 ? nil : count - 1
    }

    mutating func served(_ server: String, at now: Date) {
        if servers[server]?.failures ?? 0 > 0 { servers[server]?.failures = 0 }
        guard let facts = servers[server], let taken = facts.cap, now >= facts.capSince + Self.calm else { return }
        servers[server]?.cap = taken + 1 < cap ? taken + 1 : nil
        servers[server]?.capSince = now
    }

    /// - Parameter isTooMany: whether the server has said that the request was one too many. It gets 0.7 times as many
    ///   from then on.
    mutating func failed(
        _ server: String, startedAt start: Date, now: Date, jitter: Double, atLeast: Duration?,
        isTooMany: Bool = false
    ) -> Date? {
        var facts = servers[server, default: Facts()]
        defer { servers[server] = facts }
        if start >= facts.failedAt {
            // With the one that has just failed.
            let count = connections[Self.host(of: server), default: 0] + 1
            if isTooMany, count > 1 {
                facts.cap = max(1, min(count - 1, Int((0.7 * Double(count)).rounded())))
                facts.capSince = now
            }
            facts.failures += 1
            facts.failedAt = now
        } else if atLeast == nil {
            return nil
        }
        let until = now.advanced(by: Backoff.coolDown(failures: facts.failures, jitter: jitter, atLeast: atLeast))
        guard until > facts.isBlockedUntil else { return nil }
        facts.isBlockedUntil = until
        return until
    }
}
