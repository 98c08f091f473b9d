package import ChildProcess
package import CourseCatalog
import Foundation
import HLSMedia
package import Logging
import MediaTransfer
import NetworkAddresses
package import ProviderHost
package import ProviderKit
import Synchronization
package import YAMLSource

/// The providers of one run: each is made at its first request, so that a run without work starts no plugin process.
package final class ProviderPool: Sendable {
    private struct State {
        var providers: [String: PluginProvider] = [:]
        var watchdog: OrphanWatchdog?
        /// Unusable providers, and those that were broken at the shutdown.
        var broken: [(name: String, reason: String)] = []
        var parameters: [ObjectIdentifier: [String: JSONValue]] = [:]
        var listed = ListedAnswers()
        /// The networks of servers whose names were looked up.
        var scopes: [Origin: NetworkScope] = [:]
        /// Keeps the identifiers in `parameters` valid.
        var kept: [Settings] = []
    }

    package let settings: HostSettings
    private let registry: PluginRegistry
    private let credentials: RunCredentials
    private let turns: RenewalTurns
    private let logger: Logger
    /// Nil if the settings name no credential helper.
    private let logins: CredentialHelperLogins?
    private let state = Mutex(State())

    package init(
        registry: PluginRegistry, settings: HostSettings, credentials: RunCredentials,
        logins: CredentialHelperLogins? = nil,
        logger: Logger
    ) {
        self.logins = logins
        self.registry = registry
        self.settings = settings
        self.credentials = credentials
        turns = RenewalTurns(credentials, logger: logger)
        self.logger = logger
    }

    /// Asks for a video's location, unless a listing of this run had the answer. The provider's credentials are added,
    /// whatever the request has; renewed ones are kept, and are durable on return.
    package func resolve(_ request: ResolveRequest, provider name: String) async throws(ProviderError) -> Resolution {
        let provider = try provider(name).get()
        let known = state.withLock { $0.listed.answer(to: request, provider: name, at: request.now) }
        if let known {
            provider.learn(known)
            return known
        }
        return try await withLogin(provider, request.video.parameters) { () async throws(ProviderError) in
            try await keepingRenewed(provider) { held throws(ProviderError) in
                try await provider.resolve(request, with: held)
            }
        }
    }

    /// Asks for one page of a course, with credentials as in ``resolve(_:provider:)``.
    package func list(_ request: ListRequest, provider name: String) async throws(ProviderError) -> Listing {
        let provider = try provider(name).get()
        let page = try await withLogin(provider, request.course.parameters) { () async throws(ProviderError) in
            try await keepingRenewed(provider) { held throws(ProviderError) in
                try await provider.list(request, with: held)
            }
        }
        state.withLock { $0.listed.take(page, of: request, provider: name, at: request.now) }
        return page
    }

    /// Asks for one page of the user's courses, with credentials as in ``resolve(_:provider:)``.
    package func courses(_ request: CoursesRequest, provider name: String) async throws(ProviderError) -> CourseList {
        let provider = try provider(name).get()
        return try await withLogin(provider, request.parameters) { () async throws(ProviderError) in
            try await keepingRenewed(provider) { held throws(ProviderError) in
                try await provider.courses(request, with: held)
            }
        }
    }

    /// Asks what is at an address, with credentials as in ``resolve(_:provider:)``.
    package func recognise(
        _ request: RecogniseRequest, provider name: String
    ) async throws(ProviderError) -> Recognition {
        let provider = try provider(name).get()
        return try await keepingRenewed(provider) { held throws(ProviderError) in
            try await provider.recognise(request, with: held)
        }
    }

    /// Sends a request with a provider's credentials. Renewed ones are durable on return, even if the answer is an
    /// error.
    private func keepingRenewed<Answer: Sendable>(
        _ provider: PluginProvider, _ ask: @escaping RenewalTurns.Ask<Answer>
    ) async throws(ProviderError) -> Answer {
        try await turns.send(to: provider.plugin.name, timeout: provider.plugin.manifest.timeout, ask)
    }

    /// Sends a request after a login with the user's credential helper, if there is one for this provider; repeats it
    /// once after a new login if the old one has expired.
    private func withLogin<Answer: Sendable>(
        _ provider: PluginProvider, _ parameters: [String: JSONValue],
        _ ask: () async throws(ProviderError) -> Answer
    ) async throws(ProviderError) -> Answer {
        guard let logins, logins.serves(provider.plugin.name) else { return try await ask() }
        await logins.begin(provider, parameters)
        do throws(ProviderError) {
            return try await ask()
        } catch {
            guard error.kind == .authRequired, await logins.renew(provider, parameters) else { throw error }
            return try await ask()
        }
    }

    /// Whether its plugin declares that its answers don't depend on the course.
    package func ignoresCourse(_ name: String) -> Bool { registry.ignoresCourse(name) }

    /// The requests that its plugin takes at a time.
    package func concurrency(of name: String) -> Int {
        guard case .found(let plugin) = registry.plugin(named: name) else { return 1 }
        return plugin.manifest.concurrency
    }

    /// The first mistake in parameters for a provider, by its plugin's schema; nil without one, and if its plugin can't
    /// be used, which is reported at its first request.
    package func parameterMistake(_ parameters: [String: YAMLNode], of name: String) -> String? {
        guard case .found(let plugin) = registry.plugin(named: name) else { return nil }
        return plugin.validate(parameters, at: SourceLocation(file: "", line: 0, column: 0)).first?.summary
    }

    /// The parameter that confines what the provider names; nil without one.
    func confiningParameter(of name: String) -> String? {
        guard case .found(let plugin) = registry.plugin(named: name) else { return nil }
        return plugin.manifest.confinedTo
    }

    /// The parameter that names the server of the provider's logins, refusals and waits.
    package func serverParameter(of name: String) -> String { registry.serverParameter(of: name) }

    func knownScope(of server: Origin) -> NetworkScope? { state.withLock { $0.scopes[server] } }

    func note(_ scope: NetworkScope, of server: Origin) { state.withLock { $0.scopes[server] = scope } }

    /// Reads the credentials just stored by a login at a provider, for requests from now on. Returns whether there are
    /// any.
    @discardableResult
    package func reloadCredentials(of name: String) async -> Bool {
        await logins?.set(name, isLoggedIn: true)
        return await credentials.reload(name) || logins?.serves(name) ?? false
    }

    /// Forgets a provider's credentials and ends its process, which may know them: open requests fail as cancelled. The
    /// next request starts a new process without them.
    package func forgetCredentials(of name: String) async {
        await logins?.set(name, isLoggedIn: false)
        await credentials.forget(name)
        let provider = state.withLock { state in
            state.listed.forget(name)
            let provider = state.providers.removeValue(forKey: name)
            if let reason = provider?.brokenReason { state.broken.append((name, reason)) }
            return provider
        }
        await provider?.shutDown()
    }

    private func provider(_ name: String) -> Result<PluginProvider, ProviderError> {
        state.withLock { state in
            if let provider = state.providers[name] { return .success(provider) }
            let plugin: Plugin
            switch registry.plugin(named: name) {
            case .found(let found): plugin = found
            case .broken(let broken):
                if !state.broken.contains(where: { $0.name == name }) { state.broken.append((name, broken.reason)) }
                return .failure(.unusable(name, broken.reason))
            case .unknown: return .failure(.unknown(name))
            }
            for warning in plugin.warnings { logger.warning("\(warning.location): \(warning.summary)") }
            let provider = PluginProvider(
                plugin: plugin, dataFolder: credentials.dataFolder(of: name), logger: logger,
                watchdog: Self.watchdog(&state))
            state.providers[name] = provider
            return .success(provider)
        }
    }

    /// The run's watchdog; made when it is first needed.
    private static func watchdog(_ state: inout State) -> OrphanWatchdog {
        let watchdog = state.watchdog ?? OrphanWatchdog()
        state.watchdog = watchdog
        return watchdog
    }

    /// Makes the watchdog end the run's other programs, too, if this process dies first.
    package var groupWatch: GroupWatch { state.withLock { Self.watchdog(&$0) }.groupWatch }

    /// The parameters for a plugin, converted once for all videos that share their settings.
    package func parameters(of settings: Settings) -> [String: JSONValue] {
        state.withLock { state in
            if let known = state.parameters[ObjectIdentifier(settings)] { return known }
            let parameters = settings.parameters.mapValues { JSONValue($0) }
            state.parameters[ObjectIdentifier(settings)] = parameters
            state.kept.append(settings)
            return parameters
        }
    }

    /// Broken providers, with the reason. Still available after ``shutDown()``.
    package var broken: [(name: String, reason: String)] {
        state.withLock { $0.broken + Self.broken(among: $0.providers) }
    }

    private static func broken(among providers: [String: PluginProvider]) -> [(name: String, reason: String)] {
        providers.values.compactMap { provider in
            provider.brokenReason.map { (name: provider.plugin.name, reason: $0) }
        }
    }

    /// The time that a run waits at its end for credentials being renewed.
    private static let renewalBound = Duration.seconds(3)

    /// Ends every plugin process; none is left on return. `keepsRenewals`: waits a few seconds for credentials being
    /// renewed, since a single-use token would be lost with the answer.
    package func shutDown(keepsRenewals: Bool = true) async {
        if keepsRenewals {
            let open = state.withLock { Array($0.providers.values) }
            await withDiscardingTaskGroup { group in
                group.addTask { await self.turns.finish(atMost: Self.renewalBound) }
                for provider in open { group.addTask { await provider.awaitRenewals(atMost: Self.renewalBound) } }
            }
        }
        let (providers, watchdog) = state.withLock { state in
            state.broken += Self.broken(among: state.providers)
            defer {
                state.providers = [:]
                state.watchdog = nil
            }
            return (Array(state.providers.values), state.watchdog)
        }
        await withDiscardingTaskGroup { group in
            for provider in providers { group.addTask { await provider.shutDown() } }
        }
        // Their requests have failed now: the leases are given back, or others would wait for them.
        await turns.finish(atMost: Self.renewalBound)
        await watchdog?.close()
        // Credentials from answers that nobody waited for.
        await credentials.saveAll()
    }
}
