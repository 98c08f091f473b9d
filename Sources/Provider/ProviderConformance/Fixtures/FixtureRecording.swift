import Foundation
import MediaTransfer
package import ProviderHost
import ProviderKit
import Synchronization

/// Records what a plugin asks a real host: a loopback server forwards its requests.
package struct FixtureRecording: PrintsRedacted {
    package struct Outcome: Sendable {
        /// How many exchanges were written.
        package var exchanges = 0
        /// What was taken out, and how often.
        package var taken: [FixtureRedaction: Int] = [:]
        /// Requests that had no response.
        package var unanswered = 0
    }

    /// Headers of a request that a response may depend on; and those that begin with `X-`.
    private static let telling: Set<String> = [
        "authorization", "content-type", "cookie", "depth", "if-none-match", "if-modified-since", "range",
    ]
    /// Parts of the names of headers that are different each time.
    private static let varying = ["date", "time", "nonce", "trace", "correlation", "request-id", "forwarded"]
    /// Headers of a response that say nothing when it is replayed.
    private static let passing: Set<String> = [
        "date", "server", "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "via",
        "age", "strict-transport-security", "alt-svc", "report-to", "nel", "expect-ct", "x-powered-by",
    ]

    private let folder: String
    private let settings: CheckSettings

    /// A recording into a folder that doesn't exist yet or is empty.
    package init(folder: String, settings: CheckSettings) throws(FixtureProblem) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.isEmpty else { throw .notEmpty(folder) }
        self.folder = folder
        self.settings = settings
    }

    /// Asks the plugin for a login, a listing and a few videos, and writes what it asked the host. Nothing is left of
    /// its processes.
    package func run(_ plugin: Plugin) async throws(FixtureProblem) -> Outcome {
        guard let endpoint = settings.parameters[FixtureFolder.endpoint]?.string else { throw .noEndpoint }
        guard let original = EndpointOrigin(endpoint) else { throw .badEndpoint }
        let log = Mutex<(exchanges: [RecordedExchange], unanswered: Int, own: String)>(([], 0, ""))
        let server = try LoopbackServer { request in
            let own = log.withLock { $0.own }
            guard let exchange = Self.forward(request, to: original, from: own) else {
                log.withLock { $0.unanswered += 1 }
                return ServedResponse(status: "502 Bad Gateway")
            }
            log.withLock { log in
                let isKnown = log.exchanges.contains {
                    ($0.method, $0.target, $0.fields, $0.body)
                        == (exchange.method, exchange.target, exchange.fields, exchange.body)
                }
                if !isKnown { log.exchanges.append(exchange) }
            }
            return original.replaced(in: exchange.response, by: own)
        }
        defer { server.close() }
        log.withLock { $0.own = server.origin }
        let (samples, now) = await ask(plugin, settings.leading(from: original, to: server.origin))
        let (exchanges, unanswered) = log.withLock { ($0.exchanges, $0.unanswered) }
        let asked = Asked(
            exchanges: exchanges, samples: samples, unanswered: unanswered, now: now, own: server.origin,
            original: original, sessions: sessions(plugin.manifest.cookies, of: original, at: now))
        return try write(asked)
    }

    /// What the plugin asked, and was asked.
    private struct Asked {
        var exchanges: [RecordedExchange]
        var samples: [SampleVideo]
        var unanswered: Int
        /// The clock of the requests, without which signatures and dates aren't asked for again.
        var now: Date
        var own: String
        var original: EndpointOrigin
        /// The browser's sessions among the credentials, by name.
        var sessions: [String: CookieJar]
    }

    private func sessions(_ names: [String], of original: EndpointOrigin, at now: Date) -> [String: CookieJar] {
        var found: [String: CookieJar] = [:]
        for name in names {
            guard let text = settings.credentials[name] else { continue }
            let server = CookieJar.Server(url: original.text)
            found[name] = (try? CookieJar.read(text, for: server, from: nil, at: now)) ?? CookieJar([])
        }
        return found
    }

    private static func isTelling(_ field: MessageField) -> Bool {
        let name = field.name.lowercased()
        if name == "accept" { return field.value != "*/*" }
        return telling.contains(name) || name.hasPrefix("x-") && !varying.contains(where: name.contains)
    }

    private static func forward(
        _ request: ReceivedRequest, to original: EndpointOrigin, from own: String
    ) -> RecordedExchange? {
        let hop: Set = ["host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect"]
        let back = EndpointOrigin(own)
        let fields = request.fields.filter { !hop.contains($0.name.lowercased()) }.map { field in
            (name: field.name, value: back?.replaced(in: field.value, by: original.text) ?? field.value)
        }
        let forwarded = ForwardedRequest(
            method: request.method, url: original.text + request.target, fields: fields, body: request.body)
        guard let answer = try? forwarded.send() else { return nil }
        var response = ServedResponse(status: answer.status)
        response.fields = answer.fields.filter { !passing.contains($0.name.lowercased()) }.map {
            MessageField(name: $0.name, value: $0.value)
        }
        response.body = answer.body
        return RecordedExchange(
            method: request.method, target: request.target,
            fields: request.fields.filter(isTelling), body: request.body, response: response)
    }

    private func ask(_ plugin: Plugin, _ settings: CheckSettings) async -> (samples: [SampleVideo], now: Date) {
        let data = FileManager.default.temporaryDirectory.appending(path: "coursefetch-record-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(
            at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: data) }
        let watchdog = OrphanWatchdog()
        let context = CheckContext(
            plugin, settings, dataFolder: data.path(percentEncoded: false), watchdog: watchdog, host: nil)
        if context.samples.isEmpty { context.samples = SampleVideo.madeUp }
        _ = await StartupChecks(context: context).login()
        _ = await ListChecks(context: context).run()
        _ = await RecogniseChecks(context: context).run()
        _ = await ResolveChecks(context: context).resolution()
        await context.endSession()
        await watchdog.close()
        return (settings.videos.isEmpty ? [] : context.samples, context.now)
    }

    private func write(_ asked: Asked) throws(FixtureProblem) -> Outcome {
        let exchanges = asked.exchanges
        var scrubber = FixtureScrubber(secrets: Array(settings.credentials.values))
        scrubber.learn(.object(settings.parameters))
        if let stored = settings.stored { scrubber.learn(stored.value) }
        for jar in asked.sessions.values { scrubber.learn(.string(jar.text)) }
        scrubber.learn(exchanges)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(folder)
        }
        for (index, exchange) in exchanges.enumerated() {
            let clean = scrubber.clean(exchange)
            let number = String(index + 1)
            let name = String(repeating: "0", count: max(0, 3 - number.count)) + number
            try write(clean.bytes, to: "\(name)-\(Self.word(clean.target)).http")
        }
        let parameters = scrubber.clean(.object(settings.parameters))
        let back = EndpointOrigin(asked.own)
        let videos = asked.samples.map { video in
            let own = JSONValue.object(video.parameters)
            return JSONValue.object([
                "id": .string(video.id),
                "parameters": scrubber.clean(back?.replaced(in: own, by: asked.original.text) ?? own),
            ])
        }
        var description: [String: JSONValue] = ["parameters": parameters, "now": .string(Timestamp.text(asked.now))]
        if let stored = settings.stored {
            description["credentials"] = scrubber.clean(stored.value.mapCookieJars(asked.original.withoutValues))
        } else if !settings.credentials.isEmpty {
            let sessions = asked.sessions.mapValues { JSONValue.string(asked.original.withoutValues($0).text) }
            let others = settings.credentials.mapValues { _ in JSONValue.string(FixtureScrubber.stand) }
            description["credentials"] = .object(others.merging(sessions) { $1 })
        }
        if !videos.isEmpty { description["videos"] = .array(videos) }
        try write(Self.yaml(description), to: FixtureDescription.fileName)
        return Outcome(exchanges: exchanges.count, taken: scrubber.taken, unanswered: asked.unanswered)
    }

    private func write(_ bytes: [UInt8], to name: String) throws(FixtureProblem) {
        let path = folder + "/" + name
        do {
            try Data(bytes).write(to: URL(filePath: path))
        } catch {
            throw .unwritable(path)
        }
    }

    /// A key a line; JSON is YAML, too.
    private static func yaml(_ description: [String: JSONValue]) -> [UInt8] {
        description.sorted { $0.key < $1.key }.flatMap { key, value in
            var line = String(decoding: CheckRequest.line(["x": value]), as: UTF8.self)
            line.removeFirst(#"{"x":"#.count)
            line.removeLast()
            return Array("\(key): \(line)\n".utf8)
        }
    }

    /// The end of a path as a part of a file's name.
    private static func word(_ target: String) -> String {
        let path = target.prefix { $0 != "?" }.split(separator: "/").last ?? "root"
        let letters = path.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return String(letters.prefix(40))
    }
}
