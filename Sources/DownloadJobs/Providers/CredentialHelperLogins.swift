import FileSystem
import Foundation
package import Logging
package import ProviderHost
package import ProviderKit
package import SyncFacts
import Synchronization

/// Logs in at providers within a run, with secrets from the user's credential helpers. The results are kept in memory
/// only.
package actor CredentialHelperLogins {
    private enum Standing {
        case working(Task<Bool, Never>)
        case loggedIn(ContinuousClock.Instant)
        /// Not again in this run: repeating a wrong password could lock an account.
        case failed
        /// The user has logged out.
        case out
    }

    /// A login younger than this can't be the cause of a refusal.
    private static let freshness = Duration.seconds(60)

    private let helpers: CredentialHelpers
    private let user: String
    private let settings: HostSettings
    private let credentials: RunCredentials
    private let logger: Logger
    private var standings: [String: Standing] = [:]

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

    /// Logs in before the first request of a run.
    func begin(_ provider: PluginProvider) async {
        let name = provider.plugin.name
        guard serves(name), Self.takesLogin(provider), credentials.held(of: name).credentials == nil else { return }
        switch standings[name] {
        case .working(let task): _ = await task.value
        case .loggedIn, .failed, .out: return
        case nil: _ = await start(provider)
        }
    }

    /// Logs in again after a refusal. Returns whether another request makes sense.
    func renew(_ provider: PluginProvider) async -> Bool {
        let name = provider.plugin.name
        guard serves(name), Self.takesLogin(provider) else { return false }
        switch standings[name] {
        case .working(let task): return await task.value
        case .loggedIn(let since) where ContinuousClock.now - since < Self.freshness: return false
        case .failed, .out: return false
        case .loggedIn, nil: return await start(provider)
        }
    }

    /// Follows the user's `login` and `logout`: tries again, or stops trying.
    func set(_ provider: String, isLoggedIn: Bool) {
        standings[provider] = isLoggedIn ? nil : .out
    }

    private static func takesLogin(_ provider: PluginProvider) -> Bool {
        !provider.plugin.manifest.credentials.isEmpty || provider.plugin.manifest.methods.contains("login")
    }

    private func start(_ provider: PluginProvider) async -> Bool {
        let name = provider.plugin.name
        let task = Task { await self.logIn(provider) }
        standings[name] = .working(task)
        let isIn = await task.value
        // Somebody may have logged out meanwhile.
        if case .working = standings[name] { standings[name] = isIn ? .loggedIn(.now) : .failed }
        return isIn
    }

    private func logIn(_ provider: PluginProvider) async -> Bool {
        let plugin = provider.plugin
        guard let command = helpers[plugin.name] else { return false }
        let held = credentials.held(of: plugin.name)
        let secrets: [String: String]
        do throws(CredentialHelper.Failure) {
            let given = try await CredentialHelper(command: command, provider: plugin.name, user: user).run(.get)
            guard let found = CredentialHelper.secrets(plugin.manifest.credentials, in: given) else {
                logger.warning("the credential helper has no secrets for provider '\(plugin.name)'")
                return false
            }
            secrets = found
        } catch {
            let refusal = Refusal.provider(.helper(plugin.name, HelperTrouble(error)))
            logger.error("can't log in at '\(plugin.name)'", error: refusal)
            return false
        }
        guard plugin.manifest.methods.contains("login") else {
            return credentials.take(Secret(.object(secrets.mapValues { .string($0) })), of: plugin.name, after: held)
        }
        do throws(ProviderError) {
            let login = try await provider.login(
                LoginRequest(
                    user: user, now: Date(), credentials: held.credentials, settings: settings, secrets: secrets))
            return credentials.take(login.credentials, of: plugin.name, after: held)
        } catch {
            logger.error("provider '\(plugin.name)' refused the helper's credentials: \(error.message)")
            return false
        }
    }
}

extension HelperTrouble {
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
