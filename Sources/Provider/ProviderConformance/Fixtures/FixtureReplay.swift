import ProviderKit
import Synchronization

/// A loopback server that answers as recorded, and the settings that lead a plugin there.
package final class FixtureReplay: Sendable {
    /// Requests that only read.
    private static let reading: Set<String> = ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"]
    /// So many requests without an exchange are kept.
    private static let missingBound = 50

    private struct Log {
        var origin = ""
        var writes = 0
        var used: Set<Int> = []
        var missing: [MissingExchange] = []
        var strays: [String] = []

        /// Notes a request with a cookie that isn't for this server.
        mutating func noteCookies(of request: ReceivedRequest) {
            guard strays.count < FixtureReplay.missingBound,
                ([request.target] + request.fields.map(\.value)).contains(where: CookieCanary.isIn)
            else { return }
            let stray = "\(request.method) \(request.target.prefix { $0 != "?" })"
            if !strays.contains(stray) { strays.append(stray) }
        }
    }

    private let server: LoopbackServer
    private let log: SharedLog
    private let names: [String]

    /// The log, which the server's closure has before there is a replay.
    private final class SharedLog: Sendable {
        let state = Mutex(Log())
    }

    /// The settings of a check with the loopback server's address in the place of the endpoint's.
    package let settings: CheckSettings

    /// Opens the server. What isn't recorded is answered with 404.
    package init(_ folder: FixtureFolder, settings: CheckSettings) throws(FixtureProblem) {
        guard let endpoint = settings.parameters[FixtureFolder.endpoint]?.string else { throw .noEndpoint }
        guard let original = EndpointOrigin(endpoint) else { throw .badEndpoint }
        let log = SharedLog()
        let exchanges = folder.exchanges
        let server = try LoopbackServer { request in
            let isWriting = !Self.reading.contains(request.method)
            log.state.withLock { $0.noteCookies(of: request) }
            guard let index = Self.best(of: exchanges, for: request) else {
                log.state.withLock { log in
                    if isWriting { log.writes += 1 }
                    let missing = Self.missing(request, exchanges)
                    guard log.missing.count < Self.missingBound, !log.missing.contains(missing) else { return }
                    log.missing.append(missing)
                }
                return .notFound
            }
            let origin = log.state.withLock { log in
                if isWriting { log.writes += 1 }
                log.used.insert(index)
                return log.origin
            }
            return original.replaced(in: exchanges[index].response, by: origin)
        }
        let origin = server.origin
        log.state.withLock { $0.origin = origin }
        self.log = log
        self.server = server
        names = exchanges.map(\.name)
        self.settings = settings.leading(from: original, to: origin)
    }

    /// What it has seen.
    package var watch: HostWatch {
        HostWatch(
            requests: { self.server.requests }, writes: { self.log.state.withLock { $0.writes } },
            takeMissing: {
                self.log.state.withLock { log in
                    defer { log.missing = [] }
                    return log.missing
                }
            },
            strays: { self.log.state.withLock { $0.strays } },
            unused: {
                let used = self.log.state.withLock { $0.used }
                return self.names.indices.filter { !used.contains($0) }.map { self.names[$0] }
            })
    }

    /// Frees the port.
    package func close() { server.close() }

    /// The one that fits best; of equal ones the first.
    private static func best(of exchanges: [RecordedExchange], for request: ReceivedRequest) -> Int? {
        let fitting = exchanges.indices.compactMap { index in
            exchanges[index].score(request).map { (score: $0, index: index) }
        }
        return fitting.max { ($0.score, -$0.index) < ($1.score, -$1.index) }?.index
    }

    private static func missing(_ request: ReceivedRequest, _ exchanges: [RecordedExchange]) -> MissingExchange {
        var missing = MissingExchange(request: "\(request.method) \(request.target)")
        let near = exchanges.map { (name: $0.name, differences: $0.differences(from: request)) }
            .min { weight($0.differences) < weight($1.differences) }
        missing.nearest = near?.name
        missing.differences = Array((near?.differences ?? []).prefix(3))
        return missing
    }

    /// How far an exchange is from a request: another path farther than any field.
    private static func weight(_ differences: [ExchangeDifference]) -> Int {
        differences.reduce(0) { sum, difference in
            switch difference.part {
            case .path: sum + 100
            case .method: sum + 50
            case .query, .header, .field, .body: sum + 1
            }
        }
    }
}

extension CheckSettings {
    /// These settings with another origin in all parameters, and in what is expected; cookies are also for that one.
    func leading(from original: EndpointOrigin, to origin: String) -> CheckSettings {
        var copy = self
        copy.parameters = parameters.mapValues { original.replaced(in: $0, by: origin) }
        copy.credentials = credentials.mapValues { text in
            CookieJar(recognising: text).map { original.moved($0, to: origin).text } ?? text
        }
        copy.stored = stored.map { Secret($0.value.mapCookieJars { original.moved($0, to: origin) }) }
        copy.videos = videos.map { video in
            var video = video
            video.parameters = video.parameters.mapValues { original.replaced(in: $0, by: origin) }
            video.expectation = video.expectation.map { expected in
                Expectation(expected.values.mapValues { original.replaced(in: $0, by: origin) })
            }
            return video
        }
        return copy
    }
}
