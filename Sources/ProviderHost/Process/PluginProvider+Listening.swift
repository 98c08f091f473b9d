import Logging
import ProviderKit
import Synchronization

/// What a process tells, and what becomes of it.
extension PluginProvider {
    /// The ears for the process called `number`.
    func listener(_ number: Int) -> PluginProcess.Listener {
        let decoder = AnswerDecoder { wire in
            self.state.withLock { state in
                guard let pending = state.supervision.pending(wire: wire), pending.process == number else { return nil }
                // The answer to one that nobody waits for any more is looked at by nobody.
                return state.open[pending.request]?.question.method ?? .resolve
            }
        }
        return PluginProcess.Listener(
            line: { self.take(decoder.decode($0), from: number) },
            violation: { self.lose(number, $0) },
            log: { self.log(.info, $0) })
    }

    private func take(_ line: AnswerLine, from number: Int) {
        switch line {
        case .reply(let wire, let reply):
            let wrong = Self.fault(in: reply)
            if let wrong { log(.warning, "wrong answer: \(wrong)") }
            perform(reply: reply) { state in
                state.processes[number]?.noteAnswer()
                if wrong == nil, let pending = state.supervision.pending(wire: wire) {
                    state.noteRenewed(reply, of: pending.request)
                }
                return state.supervision.answered(wire: wire, wrong: wrong.map { state.redactor.redact($0) })
            }
        case .stray(let wire):
            let wasSent = state.withLock { $0.supervision.wasSent(wire: wire) }
            lose(number, "it answered request \(wire)" + (wasSent ? " twice" : ", which it was never asked"))
        case .log(let level, let message): log(level.ofLogger, message)
        case .ignored: break
        case .violation(let reason): lose(number, reason)
        }
    }

    /// What is wrong with a reply, or nil.
    private static func fault(in reply: AnswerLine.Reply) -> String? {
        switch reply {
        case .resolution(let resolution): ResolutionCheck.fault(in: resolution)
        case .listing(let listing): ResolutionCheck.fault(in: listing)
        case .wrong(let reason): reason
        case .login, .error: nil
        }
    }

    /// Gives up a process that broke the protocol.
    private func lose(_ number: Int, _ reason: String) {
        log(.warning, "given up: \(reason)")
        perform { state in
            state.processes[number]?.stop()
            return state.supervision.lost(process: number, reason: state.quoting(number, reason))
        }
    }

    private func log(_ level: Logger.Level, _ message: String) {
        guard logger.logLevel <= level else { return }
        let redactor = state.withLock { $0.redactor }
        logger.log(level: level, "\(redactor.redact(message))", metadata: ["plugin": "\(plugin.name)"])
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
