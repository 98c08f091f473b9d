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
    /// The user's state; an empty one if there is none. Its owner closes it.
    let store: DownloadStore
    /// The providers; their owner shuts them down.
    let pool: ProviderPool

    /// As in a sync, no provider is asked for a logged-out user. Starts nothing.
    init(
        user: String?, state: String?, registry: PluginRegistry, caFile: String?, helpers: CredentialHelpers,
        logger: Logger
    ) throws(Refusal) {
        let place = try StateLocation(user: user, state: state).resolve()
        try place.requireKnown()
        self.user = place.user.text
        let opened = try place.openForReading()
        let credentials: RunCredentials
        do {
            store = try opened ?? .empty()
            let session = try place.requireSession(in: store)
            credentials = try RunCredentials(
                place.folder, generation: session.generation, store: opened, logger: logger)
        } catch {
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
}
