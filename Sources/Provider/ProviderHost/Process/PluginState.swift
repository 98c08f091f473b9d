import ProviderKit

/// A request to a plugin with a waiting caller.
struct OpenRequest: Sendable, PrintsRedacted {
    var question: OutgoingRequest
    var credentials: RequestCredentials?
    var caller: CheckedContinuation<Result<AnswerLine.Reply, ProviderError>, Never>
}

/// The mutable state of a ``PluginProvider``, behind its lock.
struct PluginState: PrintsRedacted {
    var supervision: Supervision
    var processes: [Int: PluginProcess] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    var open: [Int: OpenRequest] = [:]
    var lastRequest = 0
    var cancelledEarly: Set<Int> = []
    /// The credentials of abandoned requests, whose answers may still renew them.
    var abandoned: [Int: RequestCredentials] = [:] {
        didSet { if !awaitsRenewal { renewalsEnd?.finish() } }
    }
    /// Finished when the last of them has been answered, or can't be any more.
    var renewalsEnd: AsyncStream<Void>.Continuation?
    var deadlines = Deadlines()
    var timer: Task<Void, Never>?
    /// For processes that were told to end: the bounded waits.
    var endings: [Int: Task<Void, Never>] = [:]
    var redactor = Redactor()
    private var lastCredentials: Secret<JSONValue>?

    init(supervision: Supervision) {
        self.supervision = supervision
    }

    /// Whether one of them was sent with credentials.
    var awaitsRenewal: Bool { abandoned.values.contains { $0.current() != nil } }

    /// Learns the secrets in a request to the plugin.
    mutating func learn(_ question: OutgoingRequest) {
        if let credentials = question.credentials { learn(credentials, areRenewed: false) }
        if case .login(let request) = question {
            for secret in request.secrets.value.values { redactor.learn(typed: secret) }
            for value in request.redirect?.secrets ?? [] { redactor.learn(value) }
        }
    }

    /// Learns the credentials that the provider has now.
    private mutating func learn(_ credentials: Secret<JSONValue>, areRenewed: Bool = true) {
        guard credentials != lastCredentials else { return }
        lastCredentials = credentials
        redactor.learn(credentials.value, areRenewed: areRenewed)
    }

    /// The request as sent, with the current credentials.
    mutating func sent(_ open: OpenRequest) -> OutgoingRequest {
        guard let credentials = open.credentials else { return open.question }
        var question = open.question
        question.credentials = credentials.current()
        if !credentials.mayRenew { question.forbidRenewal() }
        learn(question)
        return question
    }

    /// Stores renewed credentials of an answer, before anything else is sent.
    mutating func noteRenewed(_ reply: AnswerLine.Reply, of request: Int) {
        guard let takers = open[request]?.credentials ?? abandoned[request] else { return }
        abandoned[request] = nil
        guard let renewed = reply.renewed else { return }
        learn(renewed)
        takers.renew(renewed)
    }

    /// A reply in the form for the caller: secrets in it are learned, and removed from messages.
    mutating func result(_ reply: AnswerLine.Reply) -> Result<AnswerLine.Reply, ProviderError> {
        switch reply {
        case .resolution(let resolution):
            redactor.learn(resolution)
            if let credentials = resolution.credentials { learn(credentials) }
        case .login(let login):
            if login.step == nil { learn(login.credentials) }
            if let state = login.step?.state { redactor.learn(state.value) }
        case .listing(let listing):
            if let credentials = listing.credentials { learn(credentials) }
            if let place = redactor.secret(in: listing) {
                return .failure(
                    ProviderError(.pluginFault, "\(place) in its answer has a secret, and a listing is stored"))
            }
        case .courses(let list):
            if let credentials = list.credentials { learn(credentials) }
            guard !redactor.hasSecret(in: list) else {
                return .failure(
                    ProviderError(.pluginFault, "a course in its answer has a secret, and a list of courses is stored"))
            }
        case .recognition(let answer):
            if let credentials = answer.credentials { learn(credentials) }
            guard !redactor.hasSecret(in: answer) else {
                return .failure(
                    ProviderError(.pluginFault, "'parameters' in its answer have a secret, and a catalog is stored"))
            }
        case .error(var error):
            if let credentials = error.credentials { learn(credentials) }
            error.message = error.message.isEmpty ? error.kind.plainText : redactor.redact(error.message)
            error.parameter = error.parameter.map { redactor.redact($0, limit: 200) }
            error.server = error.server.map { redactor.redact($0, limit: 300) }
            return .failure(error)
        case .wrong(let reason, let renewed):
            if let renewed { learn(renewed) }
            return .failure(ProviderError(.pluginFault, redactor.redact(reason)))
        }
        return .success(reply)
    }

    /// `reason`, with the last lines of a process's standard error.
    func quoting(_ number: Int, _ reason: String) -> String {
        let lines = (processes[number]?.lastLines() ?? []).map { redactor.redact($0, limit: 200) }
        let words = lines.isEmpty ? "" : "; its stderr: \(lines.joined(separator: " | "))"
        return redactor.redact(reason) + words
    }
}

extension ProviderError.Kind {
    /// The text for an error without a message.
    fileprivate var plainText: String {
        switch self {
        case .authRequired: "a login is needed"
        case .renewalNeeded: "the login has to be renewed"
        case .forbidden: "access is denied"
        case .geoBlocked: "not available in this region"
        case .notFound: "no such video"
        case .gone: "the video was deleted"
        case .drm: "the video is DRM-protected"
        case .notReady: "not available yet"
        case .rateLimited: "too many requests"
        case .unavailable: "temporarily unavailable"
        case .invalidParameters: "a parameter is wrong"
        case .unsupported: "not supported by this provider"
        case .pluginFault, .providerFailed: "the plugin failed"
        case .machineExhausted: "this computer can't start a process"
        case .cancelled: "cancelled"
        }
    }
}
