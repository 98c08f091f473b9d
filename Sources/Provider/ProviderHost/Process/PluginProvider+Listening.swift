import Logging
import ProviderKit
import Synchronization

/// Handling the output of a process.
extension PluginProvider {
    /// Handles the output of the process `number`.
    func listener(_ number: Int) -> PluginProcess.Listener {
        let decoder = AnswerDecoder { wire in
            self.state.withLock { state in
                guard let pending = state.supervision.pending(wire: wire), pending.process == number else { return nil }
                // Nobody reads the answer to an abandoned request.
                return state.open[pending.request]?.question.method ?? .resolve
            }
        }
        return PluginProcess.Listener(
            line: { line in
                self.trace("answer", line)
                self.take(decoder.decode(line), from: number)
            },
            violation: { self.lose(number, $0) },
            log: { self.log(.info, $0) })
    }

    private func take(_ line: AnswerLine, from number: Int) {
        switch line {
        case .reply(let wire, let reply):
            var reply = reply
            if case .resolution(var resolution) = reply {
                let reasons = ResolutionCheck.drop(from: &resolution)
                if !reasons.isEmpty {
                    let subject = state.withLock { state in
                        state.supervision.pending(wire: wire).flatMap { state.open[$0.request]?.question.subject }
                    }
                    for reason in reasons { log(.warning, subject.map { "\($0): \(reason)" } ?? reason) }
                }
                reply = .resolution(resolution)
            } else if case .listing(var listing) = reply {
                for reason in ListingCheck.drop(from: &listing) { log(.warning, reason) }
                reply = .listing(listing)
            } else if case .error(let error) = reply, error.kind == .renewalNeeded, mayRenew(wire) {
                reply = .error(error.unasked)
            }
            let answer = Self.judge(reply)
            switch answer {
            case .good: break
            // The request is sent once more; if that fails, too, its error says so.
            case .unknownError(let reason), .wrong(let reason): log(.info, "wrong answer: \(reason)")
            }
            perform(reply: reply) { state in
                state.processes[number]?.noteAnswer()
                // What is asked again after a fault goes with the new ones, too.
                if answer == .good || reply.renewed != nil, let pending = state.supervision.pending(wire: wire) {
                    state.noteRenewed(reply, of: pending.request)
                }
                return state.supervision.answered(wire: wire, answer.redacted(by: state.redactor))
            }
        case .stray(let wire):
            let wasSent = state.withLock { $0.supervision.wasSent(wire: wire) }
            lose(number, "it answered request \(wire)" + (wasSent ? " twice" : ", which was never sent"))
        case .log(let level, let message): log(level.ofLogger, message)
        case .ignored: break
        case .violation(let reason): lose(number, reason)
        }
    }

    private func mayRenew(_ wire: Int) -> Bool {
        state.withLock { state in
            guard let request = state.supervision.pending(wire: wire)?.request else { return false }
            return (state.open[request]?.credentials ?? state.abandoned[request])?.mayRenew ?? true
        }
    }

    /// The meaning of a reply for the supervision of the plugin.
    private static func judge(_ reply: AnswerLine.Reply) -> Supervision.Answer {
        switch reply {
        case .resolution(let resolution): ResolutionCheck.fault(in: resolution).map { .wrong($0) } ?? .good
        case .listing(let listing): ListingCheck.fault(in: listing, toleratesIDs: true).map { .wrong($0) } ?? .good
        case .courses(let list): CourseListCheck.fault(in: list).map { .wrong($0) } ?? .good
        case .recognition(let answer): RecognitionCheck.fault(in: answer).map { .wrong($0) } ?? .good
        case .wrong(let reason, _): .wrong(reason)
        case .error(let error): error.kind == .pluginFault ? .unknownError(error.message) : .good
        case .login(let login): LoginCheck.fault(in: login).map { .wrong($0) } ?? .good
        }
    }

    /// Gives up a process that violated the protocol.
    private func lose(_ number: Int, _ reason: String) {
        log(.warning, "plugin \(plugin.name) restarted: \(reason)", namesPlugin: false)
        perform { state in
            stop(number, &state)
            return state.supervision.lost(
                process: number, reason: state.quoting(number, reason), isRunning: state.processes[number] != nil)
        }
    }

    /// Logs a line of the protocol, if that is requested.
    func trace(_ what: String, _ line: UnsafeRawBufferPointer) {
        guard logger.logLevel <= .trace else { return }
        let redactor = state.withLock { $0.redactor }
        guard let text = WireLogLine.of(line, redactor) else { return }
        logger.trace("\(what): \(text)", metadata: ["plugin": "\(plugin.name)"])
    }

    private func log(_ level: Logger.Level, _ message: String, namesPlugin: Bool = true) {
        guard logger.logLevel <= level else { return }
        let redactor = state.withLock { $0.redactor }
        logger.log(
            level: level, "\(redactor.redact(message))", metadata: namesPlugin ? ["plugin": "\(plugin.name)"] : nil)
    }
}

extension ProviderError {
    /// The fault of a plugin that doesn't renew where it may.
    fileprivate var unasked: ProviderError {
        ProviderError(
            .pluginFault, "it answered '\(kind.rawValue)' to a request that may renew the credentials",
            credentials: credentials)
    }
}

extension Supervision.Answer {
    /// The answer without possible secrets in its text.
    fileprivate func redacted(by redactor: Redactor) -> Self {
        switch self {
        case .good: .good
        case .unknownError(let reason): .unknownError(redactor.redact(reason))
        case .wrong(let reason): .wrong(redactor.redact(reason))
        }
    }
}

extension HostLog.Level {
    fileprivate var ofLogger: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
