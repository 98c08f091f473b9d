package import DownloadStore
package import Foundation

/// Servers of providers: whether they may be asked.
extension DownloadQueue {
    /// Leaves a server alone until then.
    package mutating func block(_ server: ProviderServer, until: Date) {
        let known = lanes[server]?.isBlockedUntil ?? .distantPast
        lanes[server, default: Lane()].isBlockedUntil = max(until, known)
    }

    /// The time before which it isn't asked; nil if nothing is known of it.
    package func restsUntil(_ server: ProviderServer) -> Date? {
        lanes[server].map { max($0.isBlockedUntil, $0.downUntil ?? .distantPast) }
    }

    /// Stops choosing downloads of this server.
    package mutating func stop(_ server: ProviderServer) { lanes[server, default: Lane()].isStopped = true }

    /// Stops choosing downloads of this provider, whatever their servers are.
    package mutating func stop(provider: String) { stopped.insert(provider) }

    /// Resumes choosing downloads of this provider.
    package mutating func resume(provider: String) {
        stopped.remove(provider)
        for server in lanes.keys where server.provider == provider {
            lanes[server]?.isStopped = false
            setUp(server)
        }
    }

    /// Whether no download of this server is chosen.
    package func isStopped(_ server: ProviderServer) -> Bool {
        stopped.contains(server.provider) || lanes[server]?.isStopped ?? false
    }

    /// Marks it as down: one download at a time checks whether it is back, not before this time. `isRefused`: hosts
    /// refuse its URLs.
    package mutating func setDown(_ server: ProviderServer, until: Date, isRefused: Bool = false) {
        lanes[server, default: Lane()].downUntil = until
        lanes[server]?.isRefused = isRefused
    }

    /// Marks it as back.
    package mutating func setUp(_ server: ProviderServer) {
        lanes[server]?.downUntil = nil
        lanes[server]?.isRefused = false
        lanes[server]?.probe = nil
    }

    package func isDown(_ server: ProviderServer) -> Bool { lanes[server]?.downUntil != nil }

    /// The time of the next check whether it is back; nil if it isn't down.
    package func downUntil(_ server: ProviderServer) -> Date? { lanes[server]?.downUntil }

    /// A turn begins that checks whether its server is back, if that is down: not with an answer that has come already,
    /// unless URLs are what is refused.
    package mutating func beginProbe(_ entry: Entry) {
        guard let lane = lanes[entry.server], lane.downUntil != nil, entry.usableUntil == nil || lane.isRefused else {
            return
        }
        lanes[entry.server]?.probe = entry.id
    }

    /// Ends ``beginProbe(_:)``, if it was one.
    package mutating func endProbe(_ id: DownloadID, of server: ProviderServer) {
        if lanes[server]?.probe == id { lanes[server]?.probe = nil }
    }

    /// Whether its turn checks whether its server is back.
    package func isProbe(_ id: DownloadID, of server: ProviderServer) -> Bool { lanes[server]?.probe == id }
}
