import Foundation
import ProviderHost
import ProviderKit

/// The plugin under check, with the process that answers now and everything that was noticed in passing.
///
/// A process that breaks is replaced at the next request.
final class CheckContext {
    /// The longest wait for one answer, whatever the manifest allows.
    private static let patience = Duration.seconds(15)
    /// So many unanswered requests, and it isn't asked any more; one that took the whole wait counts twice.
    private static let silenceBound = 6
    /// So many lines of stderr are kept for a failure.
    private static let stderrLines = 30

    let plugin: Plugin
    let settings: CheckSettings
    let dataFolder: String
    /// The time that requests have.
    let now: Date
    /// The server that replays exchanges; nil without one.
    let host: HostWatch?
    private let watchdog: OrphanWatchdog

    let canary: CookieCanary
    var secrets = SecretWatch()
    /// What `login` answered, else the secrets by their names; nil without any.
    var credentials: JSONValue?
    var samples: [SampleVideo]
    /// Resolved samples with their requests.
    var resolved: [(request: CheckRequest, answered: CheckAnswer)] = []
    /// The last error of a sample that wasn't resolved.
    var refusal: ProviderError?
    /// Noticed in passing, by the check that reports it.
    private(set) var noticed: [ConformanceCheck: [CheckFailure]] = [:]
    /// The check that reports an answer without an id.
    var nullIDCheck = ConformanceCheck.requestIDs
    /// How many requests had no answer.
    private(set) var silences = 0
    private(set) var answers = 0
    private var live: PluginSession?
    // Not 1, so that a constant isn't right by chance.
    private var lastID = 6
    private var done: Set<Int> = []
    private var pace = CheckPace()
    var renewal = RenewalTrace()
    /// The time zone of processes that are started from now on; nil for the one of this process.
    var zone: String?
    /// How many bytes of the present process's stderr were shown.
    private var shownOfStderr = 0

    init(
        _ plugin: Plugin, _ settings: CheckSettings, dataFolder: String, watchdog: OrphanWatchdog, host: HostWatch?
    ) {
        self.plugin = plugin
        now = settings.now ?? Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let canary = CookieCanary(plugin.manifest, settings.parameters, now: now)
        self.canary = canary
        let settings = canary.added(to: settings, plugin.manifest.cookies)
        self.settings = settings
        self.dataFolder = dataFolder
        self.watchdog = watchdog
        self.host = host
        samples = settings.videos
        credentials = settings.credentials.isEmpty ? nil : .object(settings.credentials.mapValues { .string($0) })
        if let stored = settings.stored {
            credentials = stored.value
            secrets.learn(credentials: stored.value)
        }
        for (name, value) in settings.credentials { secrets.learn(credentials: .string(value), under: name) }
    }

    /// Whether it is useless to ask on.
    var isSilent: Bool { silences >= Self.silenceBound }

    /// The wait for one answer: longer than the manifest's, so that a late answer is told from none.
    var limit: Duration { min(plugin.manifest.timeout + .seconds(1), Self.patience) }

    /// The present process; starts one if there is none.
    func session() -> PluginSession {
        if let live { return live }
        var launch = plugin.launch
        if let zone { launch.environment["TZ"] = zone }
        let session = PluginSession(launch, watchdog: watchdog)
        live = session
        done = []
        shownOfStderr = 0
        return session
    }

    /// Ends the present process. Returns how it ended; what it wrote to stderr is looked through.
    @discardableResult
    func endSession(grace: Duration = .milliseconds(300)) async -> Int32? {
        guard let session = live else { return nil }
        live = nil
        await session.end(grace: grace)
        let text = session.stderr
        if let name = secrets.leak(in: text) {
            let line = text.split(whereSeparator: \.isNewline).first { secrets.leak(in: String($0)) != nil }
            note(
                .secretsInStderr,
                CheckFailure(.leak(name), Exchange(sent: "", came: shown(String(line ?? Substring(text))))))
        }
        return session.status
    }

    /// Notes a fault for a check that reports at the end.
    func note(_ check: ConformanceCheck, _ failure: CheckFailure) {
        if noticed[check]?.contains(where: { $0.fault == failure.fault }) == true { return }
        var failure = failure
        if failure.stderr.isEmpty { failure.stderr = takeStderr() }
        noticed[check, default: []].append(failure)
    }

    /// What the present process has written to stderr since this was last asked for, the last lines of it.
    func takeStderr() -> [String] {
        guard let live else { return [] }
        let text = live.stderr.utf8.dropFirst(shownOfStderr)
        shownOfStderr += text.count
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(Self.stderrLines)
            .map { shown(String($0)) }
    }

    /// The answer to a request that fixtures are for: a request to the host without an exchange is noted. Also whether
    /// there was one.
    func askRecorded(_ request: CheckRequest) async -> (answered: CheckAnswer, isMissing: Bool) {
        _ = host?.takeMissing()
        let answered = await ask(request)
        let missing = host?.takeMissing() ?? []
        for var exchange in missing {
            exchange.request = shown(target: exchange.request)
            for index in exchange.differences.indices {
                exchange.differences[index].sent = exchange.differences[index].sent.map { shown($0) }
            }
            note(.exchanges, CheckFailure(.noExchange(exchange)))
        }
        return (answered, !missing.isEmpty)
    }

    /// The answer to one request. Under another id only if a check is about ids.
    func ask(_ request: CheckRequest, id: Int? = nil) async -> CheckAnswer {
        await askAll([request], ids: id.map { [$0] })[0]
    }

    /// The answers to requests that are in flight together, in their order.
    func askAll(_ requests: [CheckRequest], ids: [Int]? = nil) async -> [CheckAnswer] {
        let requests = requests.map { renewal.current($0, credentials) }
        if settings.isRealHost {
            let asking = requests.count { $0.answers != nil }
            try? await Task.sleep(until: pace.turn(of: asking, now: .now))
        }
        let session = session()
        let ids =
            ids
            ?? requests.map { _ in
                lastID += 1
                return lastID
            }
        var inbound = Inbound(ids: ids, methods: requests.map(\.answers), done: done)
        let lines = zip(requests, ids).map { $0.line(id: $1) }
        let start = ContinuousClock.now
        session.write(Array(lines.joined()))
        var deadline = start + limit
        var silence: ConformanceFault?
        var isLastChance = false
        reading: while !inbound.isComplete {
            switch await session.next(until: deadline) {
            case .line(let line):
                let notices = inbound.take(line, after: .now - start, secrets: secrets)
                for notice in notices { report(notice, line) }
                // What answers with other ids won't answer with the right one, either.
                if notices.contains(where: \.isAboutIDs) { deadline = min(deadline, .now + .seconds(1)) }
            case .tooLong:
                note(.stdout, CheckFailure(.tooLongLine))
                silence = .tooLongLine
                await endSession(grace: .zero)
                break reading
            case .ended:
                let words = lastWords(session)
                let reason = session.cannotStart
                let status = await endSession(grace: .milliseconds(100))
                silence = reason.map { .cannotStart($0) } ?? .ended(status, stderr: words)
                break reading
            case .silence:
                // Once more, for a line that has come while this process was kept from reading.
                if !isLastChance {
                    isLastChance = true
                    deadline = .now + .milliseconds(300)
                    continue reading
                }
                silence = await interrogate(session, &inbound)
                break reading
            }
        }
        done.formUnion(inbound.answered.keys)
        switch silence {
        case .noAnswer, .unflushed: silences += 2
        case nil: break
        default: silences += 1
        }
        let answers = zip(requests, zip(ids, lines)).map { request, sent in
            let mayRenew = request.params["renew"] != false
            return answered(inbound, to: sent.0, line: sent.1, silence: silence, mayRenew: mayRenew)
        }
        for (request, answer) in zip(requests, answers) { noteRenewed(answer, request) }
        return answers
    }

    private func noteRenewed(_ answer: CheckAnswer, _ request: CheckRequest) {
        guard request.method != "login", let fresh = answer.renewed else { return }
        secrets.learn(credentials: fresh)
        credentials = renewal.take(fresh, after: request, now: credentials)
    }

    /// Finds out whether a process that says nothing would have answered, had it flushed. It is gone afterwards.
    private func interrogate(_ session: PluginSession, _ inbound: inout Inbound) async -> ConformanceFault {
        let words = lastWords(session)
        let before = inbound.answered.count
        session.closeInput()
        let deadline = ContinuousClock.now + .seconds(1)
        while case .line(let line) = await session.next(until: deadline) {
            _ = inbound.take(line, after: limit, secrets: secrets)
        }
        await endSession(grace: .zero)
        guard inbound.answered.count > before else { return .noAnswer(limit, stderr: words) }
        note(.flush, CheckFailure(.unflushed))
        return .unflushed
    }

    private func answered(
        _ inbound: Inbound, to id: Int, line: [UInt8], silence: ConformanceFault?, mayRenew: Bool
    ) -> CheckAnswer {
        guard let entry = inbound.answered[id], silence != .unflushed else {
            return CheckAnswer(lines: lines(sent: line, came: nil), silence: silence, duration: limit)
        }
        let lines = lines(sent: line, came: entry.line)
        answers += 1
        if entry.after > plugin.manifest.timeout {
            note(.timeout, CheckFailure(.slow(entry.after, limit: plugin.manifest.timeout), lines.exchange))
            silences += 1
        }
        switch entry.reply {
        case .resolution(let resolution):
            for token in resolution.everyToken { secrets.learn("token", token.value) }
            if CookieCanary.isIn(resolution) {
                note(.cookies, CheckFailure(.strayCookie(request: nil), lines.exchange))
            }
        case .listing, .courses, .recognition:
            if let result = entry.raw["result"], let name = secrets.leak(in: result.withoutCredentials.withoutAnswers) {
                note(.secretsInListings, CheckFailure(.leak(name), lines.exchange))
            }
        case .error:
            let method = inbound.methods[id]??.rawValue ?? ""
            for fault in ErrorForm.faults(entry.raw["error"], method: method, mayRenew: mayRenew) {
                note(.errors, CheckFailure(fault, lines.exchange))
            }
            if let text = entry.raw["error"], let name = secrets.leak(in: text.withoutCredentials) {
                note(.secretsInMessages, CheckFailure(.leak(name), lines.exchange))
            }
        case .login, .wrong, nil: break
        }
        return CheckAnswer(lines: lines, reply: entry.reply, raw: entry.raw, duration: entry.after)
    }

    private func lines(sent: [UInt8], came: [UInt8]?) -> WireLines {
        WireLines(sent: sent, came: came, redactor: secrets.redactor)
    }

    private func report(_ notice: Inbound.Notice, _ line: [UInt8]) {
        let exchange = lines(sent: [], came: line).exchange
        switch notice {
        case .violation(let reason): note(.stdout, CheckFailure(.line(shown(reason)), exchange))
        case .nullID: note(nullIDCheck, CheckFailure(.answeredNotification, exchange))
        case .wrongID(let text, let expected):
            note(.requestIDs, CheckFailure(.wrongID(text, expected: expected), exchange))
        case .stray(let id): note(.answersOnce, CheckFailure(.stray(id), exchange))
        case .second(let id): note(.answersOnce, CheckFailure(.secondAnswer(id), exchange))
        case .leak(let name): note(.secretsInMessages, CheckFailure(.leak(name), exchange))
        }
    }

    private func lastWords(_ session: PluginSession) -> [String] {
        session.stderr.split(whereSeparator: \.isNewline).suffix(3).map { shown(String($0)) }
    }

    /// A request with its query, which other texts have without: it is what a fixture is about.
    private func shown(target: String) -> String {
        let path = target.prefix { $0 != "?" }
        let fields = target.dropFirst(path.count + 1).split(separator: "&").map { shown(String($0)) }
        return shown(String(path)) + (fields.isEmpty ? "" : "?\(fields.joined(separator: "&"))")
    }

    private func shown(_ text: String) -> String { secrets.redactor.redact(text, limit: 300) }
}

extension JSONValue {
    /// Without the members whose purpose is to hold secrets.
    fileprivate var withoutCredentials: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != "credentials" }.mapValues(\.withoutCredentials))
    }

    /// A listing without the answers that came with its videos. They have tokens, and are never stored.
    fileprivate var withoutAnswers: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.withoutAnswers))
        case .object(let members):
            .object(
                members.filter { $0.key != "resolved" }.reduce(into: [:]) { kept, member in
                    kept[member.key] = member.key == "parameters" ? member.value : member.value.withoutAnswers
                })
        default: self
        }
    }
}
