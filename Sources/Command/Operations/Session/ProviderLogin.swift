import DownloadJobs
import Foundation
import Logging
import ProviderHost
import ProviderKit
package import RunAccess
package import SyncFacts
import SystemPackage
package import UserState
import YAMLSource

/// A provider that supports login.
package struct ProviderLogin: Sendable {
    /// Its name in catalogs.
    package let provider: String
    /// The secrets that it asks for; may be empty.
    package let names: [String]
    /// Those of them that are a browser's session.
    package let cookies: [String]
    private let plugin: Plugin
    private let parameters: [String: JSONValue]
    /// The credential helper for its secrets; nil for the user's credentials file.
    private let helper: String?

    /// Finds the plugin with a name. Starts nothing. `texts` are parameters for its login.
    package init(
        _ name: String, set texts: [String: String] = [:], plugins folders: [String],
        helpers: CredentialHelpers = CredentialHelpers()
    ) throws(Refusal) {
        helper = helpers[name]
        switch ProviderCheck.registry(folders).plugin(named: name) {
        case .found(let found): plugin = found
        case .broken(let broken):
            throw .provider(.unusable(broken.name, reason: broken.reason))
        case .unknown(let suggestion):
            throw .provider(.unknown(name, suggestion: suggestion))
        }
        do throws(ParameterProblems) {
            parameters = try plugin.parameters(of: texts).get()
        } catch {
            throw .provider(.parameters(plugin.name, error.texts))
        }
        provider = plugin.name
        names = plugin.manifest.credentials
        cookies = plugin.manifest.cookies
        guard asksPlugin || !names.isEmpty else {
            throw .provider(.needsNoLogin(provider))
        }
        guard asksPlugin || texts.isEmpty || !cookies.isEmpty else { throw .provider(.takesNoParameters(provider)) }
    }

    /// Whether a credential helper keeps its secrets.
    package var hasHelper: Bool { helper != nil }

    /// The secrets in its credential helper; nil without a helper, if some are missing there, or if they are for
    /// another server.
    package func keptSecrets(_ location: StateLocation) async throws(Refusal) -> LoginSecrets? {
        guard let given = try await ask(.get, location), server?.claim(of: given) != .another else { return nil }
        return CredentialHelper.secrets(plugin.manifest, in: given).map { named in
            LoginSecrets(mayAskOn ? given.value.merging(named) { $1 } : named)
        }
    }

    /// Stores secrets in its credential helper after a login has proven them.
    package func keep(_ secrets: LoginSecrets, _ location: StateLocation) async throws(Refusal) {
        let named = secrets.values.value.filter { names.contains($0.key) }
        try await ask(.store, location, secrets: CredentialHelper.stored(named, cookies: cookies))
    }

    /// Erases the secrets in its credential helper, those for all servers.
    package func eraseKept(_ location: StateLocation) async throws(Refusal) { try await ask(.erase, location) }

    /// The server that the login is for; nil if its parameters name none.
    private var server: LoginServer? {
        names.contains(plugin.manifest.server) ? nil : LoginServer(parameters, in: plugin.manifest.server)
    }

    @discardableResult
    private func ask(
        _ operation: CredentialHelper.Operation, _ location: StateLocation, secrets: [String: String] = [:]
    ) async throws(Refusal) -> Secret<[String: String]>? {
        guard let helper else { return nil }
        let user = try location.resolve().user.text
        do throws(CredentialHelper.Failure) {
            return try await CredentialHelper(
                command: helper, provider: provider, user: user, endpoint: server?.description
            ).run(operation, secrets: secrets)
        } catch {
            throw .provider(.helper(provider, CredentialHelperProblem(error)))
        }
    }

    /// The secrets with each browser's session in the form that the provider gets.
    package func reading(_ secrets: LoginSecrets) throws(Refusal) -> LoginSecrets {
        LoginSecrets(try LoginCookies(plugin, parameters).read(secrets.values.value, at: Date()))
    }

    /// The names that a person is asked for: not a session that is another way to log in.
    package var askedNames: [String] {
        let others = names.filter { !cookies.contains($0) }
        return others.isEmpty ? names : others
    }

    /// Whether its login may ask for more than ``names``.
    package var mayAskOn: Bool { asksPlugin }

    /// Whether the plugin turns secrets into credentials; else the secrets are the credentials.
    private var asksPlugin: Bool { plugin.manifest.methods.contains("login") }

    /// Turns secrets into credentials. The plugin's process, if one is needed, has ended when this returns.
    func credentials(
        _ secrets: LoginSecrets, user: String, previous: StoredCredentials?, caFile: String?, folder: StateFolder,
        dialog: LoginDialog, logger: Logger
    ) async throws(Refusal) -> StoredCredentials {
        let cookies = LoginCookies(plugin, parameters)
        let sessionEnd = cookies.lastExpiry(of: secrets.values.value)
        guard asksPlugin else {
            let texts = cookies.joining(secrets.values.value, with: previous?.credentials.value)
            let values = texts.mapValues { JSONValue.string($0) }
            return StoredCredentials(
                credentials: Secret(.object(values)), expiresAt: cookies.lastExpiry(of: texts), savedAt: Date())
        }
        let watchdog = OrphanWatchdog()
        let provider = PluginProvider(
            plugin: plugin, dataFolder: (try? folder.pluginData(of: plugin.name))?.string, logger: logger,
            watchdog: watchdog)
        let given = secrets.values.value
        let request = LoginRequest(
            user: user, now: Date(), credentials: previous?.credentials,
            settings: HostSettings(
                userAgent: "coursefetch/\(Version.text)", proxy: ProxySetting.ofEnvironment, caFile: caFile),
            parameters: parameters, secrets: given.filter { names.contains($0.key) })
        let answer: Result<Result<Login, ProviderError>, Refusal>
        do throws(Refusal) {
            let others = given.filter { !names.contains($0.key) }
            answer = .success(try await logIn(provider, request, others: others, dialog))
        } catch { answer = .failure(error) }
        await provider.shutDown()
        await watchdog.close()
        switch try answer.get() {
        case .success(let login):
            return StoredCredentials(
                credentials: login.credentials, expiresAt: login.expiresAt ?? sessionEnd, savedAt: Date())
        case .failure(let error): throw refusal(error)
        }
    }

    private func refusal(_ error: ProviderError) -> Refusal {
        let failure: Refusal.Provider.LoginFailure =
            switch error.kind {
            case .authRequired, .forbidden: .refused
            case .machineExhausted: .machine
            case .unavailable, .rateLimited, .notReady, .cancelled: .later
            case .unsupported, .pluginFault, .providerFailed, .renewalNeeded: .broken
            case .geoBlocked, .notFound, .gone, .drm, .invalidParameters: .declined
            }
        return .provider(.login(provider, failure, said: error.message))
    }
}
