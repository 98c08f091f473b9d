import DownloadJobs
import Foundation
import ProviderHost
import ProviderKit
import SyncFacts
import YAMLSource

/// Asks the providers what is at an address.
struct AddressRecognition {
    /// The provider that knows it, and what it makes of it: a course or a video.
    typealias Found = (provider: String, answer: Recognition)

    let registry: PluginRegistry
    let access: ProviderAccess

    /// Asks one after the other, until one knows the address: first those whose manifest names addresses like it, then
    /// those that name none, by name. With a `name` only that one is asked, whatever it names.
    func find(_ address: String, only name: String?) async throws(Refusal) -> Found {
        let candidates = try name.map { name throws(Refusal) in [try plugin(name)] } ?? candidates(for: address)
        let request = RecogniseRequest(
            user: access.user, now: Date(), settings: access.pool.settings, address: address)
        var problems: [(provider: String, error: ProviderError)] = []
        for plugin in candidates {
            do throws(ProviderError) {
                let answer = try await access.pool.recognise(request, provider: plugin.name)
                if answer.course != nil || answer.video != nil { return (plugin.name, answer) }
            } catch { problems.append((plugin.name, error)) }
        }
        if let login = problems.first(where: { $0.error.kind == .authRequired }) {
            let need = RequiredLogin(
                provider: login.provider, server: login.error.server,
                parameter: LoginServer.parameter(at: login.provider, in: registry))
            throw .provider(.wantsLogin(need, said: login.error.message))
        }
        throw .catalog(
            .unrecognised(
                AddressRedactor.withoutSecrets(address), asked: candidates.map(\.name),
                problems: problems.map { "\($0.provider): \($0.error.message)" }))
    }

    private func plugin(_ name: String) throws(Refusal) -> Plugin {
        switch registry.plugin(named: name) {
        case .found(let plugin):
            guard Self.recognises(plugin) else { throw .provider(.recognisesNothing(plugin.name)) }
            return plugin
        case .broken(let broken): throw .provider(.unusable(broken.name, reason: broken.reason))
        case .unknown(let suggestion): throw .provider(.unknown(name, suggestion: suggestion))
        }
    }

    private func candidates(for address: String) -> [Plugin] {
        let able = registry.plugins.values.filter(Self.recognises).sorted { $0.name < $1.name }
        let named = able.filter { plugin in
            // One that can't be read keeps nobody from asking.
            plugin.manifest.addresses.contains { (try? TitlePattern(Substring($0)))?.matches(address) ?? true }
        }
        return named + able.filter(\.manifest.addresses.isEmpty)
    }

    private static func recognises(_ plugin: Plugin) -> Bool { plugin.manifest.methods.contains("recognise") }
}
