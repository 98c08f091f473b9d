import FileSystem
import Foundation
package import Logging
package import ProviderHost
package import ProviderKit
package import SyncFacts
import Synchronization

/// Logs in at providers within a run, with secrets from the user's credential helpers. The results are kept in memory
/// only.
///
/// A request whose parameters name a server is logged in at that server, with these parameters, if the helper says that
/// its secrets are for it. Secrets whose server the helper doesn't name go to the provider without parameters, once.
package actor CredentialHelperLogins {
    private enum LoginState {
        case working(Task<Outcome, Never>)
        case over(Outcome)
    }

    private enum Outcome {
        case loggedIn(ContinuousClock.Instant)
        /// The helper has no secrets for it, which nobody needs to know before the provider asks for a login.
        case lacking
        /// The login was refused for these parameters, which says nothing about the secrets.
        case declined([[String: JSONValue]])
        /// Not again in this run: repeating a wrong password could lock an account.
        case failed
    }

    /// What a login is for.
    private struct Place: Hashable {
        var provider: String
        /// Nil if the request names none.
        var server: LoginServer?
    }

    /// A login younger than this can't be the cause of a refusal.
    private static let freshness = Duration.seconds(60)
    /// Parameters that are tried at one server before it is left alone.
    private static let declinedBound = 8

    private let helpers: CredentialHelpers
    private let user: String
    private let settings: HostSettings
    private let credentials: RunCredentials
    private let logger: Logger
    private var logins: [Place: LoginState] = [:]
    /// The results of secrets whose server isn't named, by provider.
    private var unbound: [String: Outcome] = [:]
    /// Providers whose helper failed, or that the user has logged out of.
    private var ended: Set<String> = []
    /// Providers with credentials of this run's logins.
    private var helped: Set<String> = []
    /// The last login of each provider: the next one adds to its credentials.
    private var last: [String: Task<Outcome, Never>] = [:]

    package init(
        _ helpers: CredentialHelpers, user: String, settings: HostSettings, credentials: RunCredentials, logger: Logger
    ) {
        self.helpers = helpers
        self.user = user
        self.settings = settings
        self.credentials = credentials
        self.logger = logger
    }

    /// Whether a helper keeps a provider's secrets.
    nonisolated func serves(_ provider: String) -> Bool { helpers[provider] != nil }

    /// Logs in before the first request of a run to a server. `parameters` are those of the request.
    func begin(_ provider: PluginProvider, _ parameters: [String: JSONValue]) async {
        let name = provider.plugin.name
        guard serves(name), Self.takesLogin(provider), !ended.contains(name),
            helped.contains(name) || credentials.held(of: name).credentials == nil
        else { return }
        let place = Place(provider: name, server: LoginServer(parameters, in: provider.plugin.manifest.server))
        switch logins[place] {
        case .working(let task): _ = await task.value
        case .over: return
        case nil: _ = await start(provider, place, parameters)
        }
    }

    /// Logs in again after a refusal. Returns whether another request makes sense.
    func renew(_ provider: PluginProvider, _ parameters: [String: JSONValue]) async -> Bool {
        let name = provider.plugin.name
        guard serves(name), Self.takesLogin(provider), !ended.contains(name) else { return false }
        let place = Place(provider: name, server: LoginServer(parameters, in: provider.plugin.manifest.server))
        switch logins[place] {
        case .working(let task): return Self.isIn(await task.value)
        case .over(.loggedIn(let since)) where ContinuousClock.now - since < Self.freshness: return false
        case .over(.declined(let tried)) where tried.contains(parameters) || tried.count >= Self.declinedBound:
            return false
        case .over(.failed): return false
        case .over(.lacking):
            logins[place] = .over(.failed)
            let server = place.server.map { " at \($0)" } ?? ""
            logger.warning("the credential helper has no secrets for provider '\(name)'\(server)")
            return false
        case .over, nil: break
        }
        let outcome = await start(provider, place, parameters)
        guard case .lacking = outcome else { return Self.isIn(outcome) }
        return await renew(provider, parameters)
    }

    /// Follows the user's `login` and `logout`: tries again, or stops trying.
    func set(_ provider: String, isLoggedIn: Bool) {
        logins = logins.filter { $0.key.provider != provider }
        unbound[provider] = nil
        helped.remove(provider)
        if isLoggedIn { ended.remove(provider) } else { ended.insert(provider) }
    }

    private static func takesLogin(_ provider: PluginProvider) -> Bool {
        !provider.plugin.manifest.credentials.isEmpty || provider.plugin.manifest.methods.contains("login")
    }

    private static func isIn(_ outcome: Outcome) -> Bool { if case .loggedIn = outcome { true } else { false } }

    private func start(
        _ provider: PluginProvider, _ place: Place, _ parameters: [String: JSONValue]
    ) async -> Outcome {
        let tried: [[String: JSONValue]] = if case .over(.declined(let tried)) = logins[place] { tried } else { [] }
        let before = last[place.provider]
        let task = Task {
            _ = await before?.value
            return await self.logIn(provider, server: place.server, parameters: parameters, tried: tried)
        }
        logins[place] = .working(task)
        last[place.provider] = task
        let outcome = await task.value
        // Somebody may have logged out meanwhile.
        if case .working = logins[place] { logins[place] = .over(outcome) }
        return outcome
    }

    private func logIn(
        _ provider: PluginProvider, server: LoginServer?, parameters: [String: JSONValue],
        tried: [[String: JSONValue]]
    ) async -> Outcome {
        let plugin = provider.plugin
        guard let command = helpers[plugin.name], !ended.contains(plugin.name) else { return .failed }
        let server = plugin.manifest.credentials.contains(plugin.manifest.server) ? nil : server
        let given: Secret<[String: String]>
        do throws(CredentialHelper.Failure) {
            given = try await CredentialHelper(
                command: command, provider: plugin.name, user: user, endpoint: server?.description
            ).run(.get)
        } catch {
            let refusal = Refusal.provider(.helper(plugin.name, CredentialHelperProblem(error)))
            logger.error("can't log in at '\(plugin.name)'", error: refusal)
            ended.insert(plugin.name)
            return .failed
        }
        let claim = server?.claim(of: given) ?? .unstated
        guard claim != .another, let named = CredentialHelper.secrets(plugin.manifest, in: given) else {
            return .lacking
        }
        // With what only a later step of the login may ask for.
        var secrets = given.value.merging(named) { $1 }
        do throws(Refusal) {
            let place = claim == .confirmed ? parameters : [:]
            secrets = try LoginCookies(plugin, place).read(secrets, at: Date())
        } catch {
            logger.error("can't log in at '\(plugin.name)'", error: error)
            return .failed
        }
        if claim == .confirmed { return await logIn(provider, secrets: secrets, parameters: parameters, tried: tried) }
        switch unbound[plugin.name] {
        case .loggedIn(let since) where ContinuousClock.now - since < Self.freshness: return .loggedIn(since)
        case .failed: return .failed
        default: break
        }
        let outcome = await logIn(provider, secrets, unnamed: server)
        unbound[plugin.name] = outcome
        return outcome
    }

    /// Logs in at the server that the parameters name.
    private func logIn(
        _ provider: PluginProvider, secrets: [String: String], parameters: [String: JSONValue],
        tried: [[String: JSONValue]]
    ) async -> Outcome {
        let schema = provider.plugin.manifest.parameters
        do throws(ProviderError) {
            return try await ask(provider, secrets, parameters.filter { schema.property($0.key) != nil })
        } catch {
            let name = provider.plugin.name
            logger.error("provider '\(name)' refused the helper's credentials: \(error.message)")
            return error.kind == .invalidParameters ? .declined(tried + [parameters]) : .failed
        }
    }

    /// Logs in without parameters, since the helper doesn't say which server its secrets are for.
    private func logIn(
        _ provider: PluginProvider, _ secrets: [String: String], unnamed server: LoginServer?
    ) async -> Outcome {
        do throws(ProviderError) {
            return try await ask(provider, secrets, [:])
        } catch {
            let name = provider.plugin.name
            if let server, error.kind == .invalidParameters {
                logger.error("provider '\(name)': its credential helper's answer lacks the line endpoint=\(server)")
            } else {
                logger.error("provider '\(name)' refused the helper's credentials: \(error.message)")
            }
            return .failed
        }
    }

    private func ask(
        _ provider: PluginProvider, _ secrets: [String: String], _ parameters: [String: JSONValue]
    ) async throws(ProviderError) -> Outcome {
        let plugin = provider.plugin
        let held = credentials.held(of: plugin.name)
        let named = secrets.filter { plugin.manifest.credentials.contains($0.key) }
        var new = Secret(JSONValue.object(named.mapValues { .string($0) }))
        if plugin.manifest.methods.contains("login") {
            let first = LoginRequest(
                user: user, now: Date(), credentials: held.credentials, settings: settings, parameters: parameters,
                secrets: named)
            new = try await Self.credentials(provider, first, secrets)
        }
        guard credentials.take(new, of: plugin.name, after: held) else { return .failed }
        helped.insert(plugin.name)
        return .loggedIn(.now)
    }
}

extension CredentialHelperLogins {
    /// So many steps of a login are taken without a person.
    private static let stepBound = 10

    /// The credentials of a login with all steps that the helper's secrets are enough for.
    private static func credentials(
        _ provider: PluginProvider, _ first: LoginRequest, _ secrets: [String: String]
    ) async throws(ProviderError) -> Secret<JSONValue> {
        var request = first
        var given = first.secrets.value
        for _ in 0...stepBound {
            let login = try await provider.login(request)
            guard let step = login.step else { return login.credentials }
            if let missing = step.ask.first(where: { secrets[$0.name] == nil }) {
                throw .asks(for: missing.name)
            }
            guard step.needsNobody(with: secrets.keys) else { break }
            for question in step.ask { given[question.name] = secrets[question.name] }
            if let wait = step.wait { try? await Task.sleep(for: .seconds(wait)) }
            request.secrets = Secret(given)
            request.state = step.state
            request.now = Date()
        }
        throw .needsPerson
    }
}

extension CredentialHelperProblem {
    package init(_ failure: CredentialHelper.Failure) {
        self =
            switch failure {
            case .notStarted: .notStarted
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            case .tooSlow(let seconds): .tooSlow(seconds: seconds)
            case .cancelled: .cancelled
            case .unreadable: .unreadable
            case .unwritable(let name): .unwritable(name: name)
            }
    }
}
