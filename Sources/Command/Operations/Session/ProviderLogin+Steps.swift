import Foundation
import ProviderConformance
import ProviderHost
import ProviderKit
import SyncFacts

/// A login in steps, until the provider gives credentials.
extension ProviderLogin {
    /// A login with more steps is given up.
    private static let stepBound = 1000
    /// So is one that takes longer.
    private static let patience = Duration.seconds(30 * 60)

    /// Asks the provider, and for what it asks on. `others` are secrets that only a later step may ask for.
    func logIn(
        _ asked: PluginProvider, _ first: LoginRequest, others: [String: String], _ dialog: LoginDialog
    ) async throws(Refusal) -> Result<Login, ProviderError> {
        var request = first
        var others = others
        var told: LoginDialog.Notice?
        let deadline = ContinuousClock.now + Self.patience
        for _ in 0..<Self.stepBound where ContinuousClock.now < deadline {
            let login: Login
            do throws(ProviderError) { login = try await asked.login(request) } catch { return .failure(error) }
            guard let step = login.step else { return .success(login) }
            let listener = try listener(of: step, dialog)
            defer { listener?.close() }
            let page = step.open.map { listener?.filled($0) ?? $0 }
            let notice = LoginDialog.Notice(page: page, code: step.show, asksOn: !step.ask.isEmpty)
            let isNew = (page != nil || step.show != nil) && notice != told
            if isNew, !step.needsNobody(with: others.keys) {
                if let refusal = await dialog.tell(notice) { throw refusal }
                told = notice
            }
            var secrets = request.secrets.value
            for question in step.ask {
                // Once: a provider that asks again has refused it.
                if let known = others.removeValue(forKey: question.name) {
                    secrets[question.name] = known
                } else {
                    let asked = LoginDialog.Question(
                        name: question.name, label: question.label ?? question.name, isSecret: question.secret)
                    secrets[question.name] = try await dialog.ask(asked).get()
                }
            }
            request.redirect = nil
            if let listener {
                guard let back = await listener.next(within: deadline - .now) else { break }
                request.redirect = back
            }
            if let wait = step.wait { try? await Task.sleep(for: .seconds(wait)) }
            request.secrets = Secret(secrets)
            request.state = step.state
            request.now = Date()
        }
        throw .provider(.unfinishedLogin(provider))
    }

    private func listener(of step: LoginStep, _ dialog: LoginDialog) throws(Refusal) -> RedirectListener? {
        guard let state = step.redirect else { return nil }
        do throws(FixtureProblem) {
            return try RedirectListener(state: state, page: dialog.arrival)
        } catch { throw .provider(.noPort(provider)) }
    }
}
