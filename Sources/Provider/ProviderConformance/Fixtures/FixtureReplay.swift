import ProviderKit
import Synchronization

/// A loopback server that answers as recorded, and the settings that lead a plugin there.
package final class FixtureReplay: Sendable {
    private let server: LoopbackServer

    /// The settings of a check with the loopback server's address in the place of the endpoint's.
    package let settings: CheckSettings

    /// How many requests came.
    package var requests: Int { server.requests }

    /// Opens the server. What isn't recorded is answered with 404.
    package init(_ folder: FixtureFolder, settings: CheckSettings) throws(FixtureProblem) {
        guard let endpoint = settings.parameters[FixtureFolder.endpoint]?.string else { throw .noEndpoint }
        guard let original = EndpointOrigin(endpoint) else { throw .badEndpoint }
        let own = Mutex("")
        let exchanges = folder.exchanges
        let server = try LoopbackServer { request in
            let fitting = exchanges.compactMap { exchange in
                exchange.score(request).map { (score: $0, response: exchange.response) }
            }
            // Of equal ones the first.
            let best = fitting.enumerated().max { ($0.element.score, -$0.offset) < ($1.element.score, -$1.offset) }
            guard let response = best?.element.response else { return .notFound }
            return original.replaced(in: response, by: own.withLock { $0 })
        }
        let origin = server.origin
        own.withLock { $0 = origin }
        self.server = server
        self.settings = settings.leading(from: original, to: origin)
    }

    /// Frees the port.
    package func close() { server.close() }
}

extension CheckSettings {
    /// These settings with another origin in all parameters.
    func leading(from original: EndpointOrigin, to origin: String) -> CheckSettings {
        var copy = self
        copy.parameters = parameters.mapValues { original.replaced(in: $0, by: origin) }
        copy.videos = videos.map { video in
            SampleVideo(
                id: video.id, parameters: video.parameters.mapValues { original.replaced(in: $0, by: origin) })
        }
        return copy
    }
}
