import DownloadJobs
import DownloadStore
import Foundation
import Logging
import ProviderHost
import ProviderKit
import RunAccess
import SyncFacts
import UserState

/// A user's access to providers outside of a sync: with the user's credentials, and without writing the state.
struct ProviderAccess: Sendable {
    let user: String
    /// The user's state; an empty one if there is none.
    let store: DownloadStore
    /// The user's own state, if the other one is a shard's.
    private let ownStore: DownloadStore?
    /// The providers; their owner shuts them down.
    let pool: ProviderPool

    /// As in a sync, no provider is asked for a logged-out user. Starts nothing.
    init(
        _ location: StateLocation, registry: PluginRegistry, caFile: String?, helpers: CredentialHelpers,
        logger: Logger
    ) throws(Refusal) {
        let place = try location.resolve()
        try place.requireKnown()
        self.user = place.user.text
        let opened = try place.openForReading()
        let credentials: RunCredentials
        var own: DownloadStore?
        do {
            store = try opened ?? .empty()
            let session = try place.requireSession(in: store)
            if place.shard != nil { own = try place.ofUser.openForReading() }
            ownStore = own
            credentials = try RunCredentials(
                place.userFolder, generation: session.generation, store: place.shard == nil ? opened : own,
                isShared: place.shard != nil, logger: logger)
        } catch {
            own?.close()
            opened?.close()
            throw Refusal(any: error)
        }
        let settings = HostSettings(
            userAgent: "coursefetch/\(Version.text)", proxy: ProxySetting.ofEnvironment, caFile: caFile)
        pool = ProviderPool(
            registry: registry, settings: settings, credentials: credentials,
            logins: CredentialHelperLogins(
                helpers, user: place.user.text, settings: settings, credentials: credentials, logger: logger),
            logger: logger)
    }

    /// Closes the state. The providers are shut down before.
    func close() {
        ownStore?.close()
        store.close()
    }
}
