import DownloadJobs
import DownloadRunner
import Foundation
import Logging
import ProviderHost
import ProviderKit
package import SyncFacts
import UserState
import YAMLSource

/// A provider that one can log in at.
package struct ProviderLogin: Sendable {
    /// As catalogs call it.
    package let provider: String
    /// The secrets that it asks for; may be none.
    package let names: [String]
    private let plugin: Plugin

    /// Finds the plugin of a name. Starts nothing.
    package init(_ name: String, plugins folders: [String]) throws(Refusal) {
        switch ProviderCheck.registry(folders).plugin(named: name) {
        case .found(let found): plugin = found
        case .broken(let broken):
            throw Refusal(
                condition: .providerBroken, message: "the provider “\(broken.name)” can't be used: \(broken.reason)")
        case .unknown(let suggestion):
            let hint = (suggestion.map { "; did you mean “\($0)”?" } ?? ";") + " see: coursefetch plugins list"
            throw Refusal(condition: .usage, message: "there is no provider “\(name)”\(hint)")
        }
        provider = plugin.name
        names = plugin.manifest.credentials
        guard asksPlugin || !names.isEmpty else {
            throw Refusal(condition: .usage, message: "the provider “\(provider)” needs no login")
        }
    }

    /// Whether the plugin turns secrets into credentials; else the secrets are the credentials.
    private var asksPlugin: Bool { plugin.manifest.methods.contains("login") }

    /// Turns secrets into credentials. The plugin's process, if it takes one, is gone when this returns.
    func credentials(
        _ secrets: LoginSecrets, user: String, previous: StoredCredentials?, caFile: String?, logger: Logger
    ) async throws(Refusal) -> StoredCredentials {
        guard asksPlugin else {
            let values = secrets.values.value.mapValues { JSONValue.string($0) }
            return StoredCredentials(credentials: Secret(.object(values)), savedAt: Date())
        }
        let watchdog = OrphanWatchdog()
        let provider = PluginProvider(plugin: plugin, logger: logger, watchdog: watchdog)
        let request = LoginRequest(
            user: user, now: Date(), credentials: previous?.credentials,
            settings: HostSettings(
                userAgent: "coursefetch/\(Version.text)", proxy: ProxySetting.ofEnvironment, caFile: caFile),
            secrets: secrets.values.value)
        let answer: Result<Login, ProviderError>
        do throws(ProviderError) {
            answer = .success(try await provider.login(request))
        } catch {
            answer = .failure(error)
        }
        await provider.shutDown()
        await watchdog.close()
        switch answer {
        case .success(let login):
            return StoredCredentials(credentials: login.credentials, expiresAt: login.expiresAt, savedAt: Date())
        case .failure(let error): throw refusal(error)
        }
    }

    private func refusal(_ error: ProviderError) -> Refusal {
        let (condition, what): (SyncCondition, String) =
            switch error.kind {
            case .authRequired, .forbidden: (.loginNeeded, "refuses the login")
            case .machineExhausted: (.stateUnusable, "can't be asked")
            case .unavailable, .rateLimited, .notReady, .cancelled: (.workLeft, "can't answer now; try again later")
            case .unsupported, .pluginFault, .providerFailed: (.providerBroken, "failed")
            case .geoBlocked, .notFound, .gone, .drm, .invalidParameters: (.downloadsFailed, "refuses the login")
            }
        return Refusal(
            condition: condition,
            message: "the provider “\(provider)” \(what): \(error.message); nothing was changed")
    }
}
