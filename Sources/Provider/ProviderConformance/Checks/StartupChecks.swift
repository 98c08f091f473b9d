import Foundation
import ProviderHost
import ProviderKit

/// The first words with a plugin.
struct StartupChecks {
    let context: CheckContext

    /// So many steps of a login are followed.
    private static let stepBound = 10

    /// Whether it starts and answers anything; also the answer to an unknown method.
    func starts() async -> (starts: CheckVerdict, unknownMethod: CheckVerdict) {
        let ping = await context.ask(context.ping())
        if let fault = ping.silence {
            // It may be silent, or end, only since it doesn't know the method.
            let other = await context.ask(context.usual)
            if let silence = other.silence {
                return (.failed(silence, other.exchange), .skipped(.silent))
            }
            return (.passed, .failed(fault, ping.exchange))
        }
        guard let raw = ping.raw else { return (.passed, .skipped(.silent)) }
        let code = raw["error"]?["code"]?.int.flatMap { Int(exactly: $0) }
        return (.passed, code == ErrorForm.methodNotFound ? .passed : .failed(.code(code), ping.exchange))
    }

    /// Whether `login` answers with credentials that `resolve` takes.
    func login() async -> CheckVerdict {
        guard context.plugin.manifest.methods.contains("login") else { return .skipped(.noMethod("login")) }
        var given = context.settings.credentials
        let isMadeUp = given.isEmpty
        if context.settings.leavesOutLogins || context.settings.isRealHost && isMadeUp {
            return .skipped(.loginLeftOut)
        }
        let manifest = context.plugin.manifest
        // What is given may be one of several ways to log in.
        let isWhole = manifest.loginChoices.contains { !$0.isEmpty && Set($0) == Set(given.keys) }
        for name in manifest.credentials where given[name] == nil && !isWhole {
            let isSession = manifest.cookies.contains(name)
            given[name] = isSession ? context.canary.session(name) : SecretWatch.canary(name)
        }
        for (name, value) in given { context.secrets.learn(credentials: .string(value), under: name) }
        // As in a sync: what only a step asks for isn't sent before it.
        var sent = given.filter { manifest.credentials.contains($0.key) }
        var request = context.login(sent)
        // Exchanges of a login are for the secrets of the fixtures.
        var answered = isMadeUp ? await context.ask(request) : await context.askRecorded(request).answered
        var steps = 0
        while answered.failure == nil, case .login(let login) = answered.reply, let step = login.step {
            steps += 1
            guard steps <= Self.stepBound, step.wait == nil, step.needsNobody(with: given.keys) else {
                return .skipped(.loginNeedsPerson(step.ask.map(\.name).filter { given[$0] == nil }))
            }
            if let state = step.state { context.secrets.learn(credentials: state.value) }
            for question in step.ask { sent[question.name] = given[question.name] }
            request = context.login(sent).with("state", step.state?.value ?? .null)
            answered = isMadeUp ? await context.ask(request) : await context.askRecorded(request).answered
        }
        if let failure = answered.failure { return .failed([failure]) }
        guard case .login(let login) = answered.reply else {
            return .skipped(
                .loginRefused(
                    kind: answered.error?.kind.rawValue ?? "",
                    message: context.secrets.redactor.redact(answered.error?.message ?? "", limit: 300)))
        }
        if let expiry = login.expiresAt, expiry <= context.now {
            return .failed(.expired(Timestamp.text(expiry), now: Timestamp.text(context.now)), answered.exchange)
        }
        if context.settings.stored == nil { context.credentials = login.credentials.value }
        context.secrets.learn(credentials: login.credentials.value)
        let first = await context.ask(context.usual)
        if let error = first.error, error.kind == .authRequired {
            return .failed(.refused(kind: error.kind.rawValue, message: error.message), first.exchange)
        }
        return .passed
    }
}
