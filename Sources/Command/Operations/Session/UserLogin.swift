import DownloadJobs
import DownloadStore
package import FileSystem
package import Foundation
package import Logging
package import RunAccess
package import SyncFacts
import SystemPackage
package import UserState

package struct UserLogin: Sendable, Equatable {
    /// The reason why a running sync didn't apply it.
    package enum Trouble: Sendable, Equatable {
        /// It doesn't answer; nil if its lock doesn't identify it.
        case silent(LockHolder?)
        /// It refused, with this message.
        case failed(String)
        /// The state of a shard in this folder can't be opened.
        case unopened(String)
    }

    package var user: String
    /// Whether the session was open already.
    package var wasOpen: Bool
    /// The provider; nil for the session alone.
    package var provider: String?
    /// The expiry of the provider's credentials; nil if it isn't known.
    package var expiresAt: Date?
    /// The number of downloads that wait again; nil if a running sync was notified.
    package var resumed: Int?
    /// The failure to notify a running sync; its next run knows the login.
    package var trouble: Trouble?
    /// Whether the user has never had a sync.
    package var isNew = false
    /// A sync that was waiting for this login and continues now.
    package var waiting: RunningSync?

    package init(
        user: String, wasOpen: Bool, provider: String? = nil, expiresAt: Date? = nil, resumed: Int? = nil,
        trouble: Trouble? = nil
    ) {
        self.user = user
        self.wasOpen = wasOpen
        self.provider = provider
        self.expiresAt = expiresAt
        self.resumed = resumed
        self.trouble = trouble
    }

    /// Opens the user's session; makes the state of a user without one.
    package static func run(_ location: StateLocation) async throws(Refusal) -> UserLogin {
        let place = try location.resolve()
        let store = try await place.openForSession()
        defer { store.close() }
        do throws(StoreError) {
            let wasOpen = try place.session(in: store).isOpen
            var report = UserLogin(user: place.user.text, wasOpen: wasOpen)
            if !wasOpen, let holder = (try? place.folder.lockHolder())?.holder {
                let running = try RunningSync(holder, isLoggedIn: false, in: store)
                if running.activity == .waitingForLogin { report.waiting = running }
            }
            report.isNew = try store.runs.newest(1).isEmpty
            _ = try store.sessions.open()
            return report
        } catch { throw Refusal(error) }
    }

    /// Also logs in at a provider: asks it, opens the session, stores its credentials and lets waiting downloads
    /// continue.
    ///
    /// The session is opened first, which invalidates credentials that running syncs renew from the old login. A kill
    /// after it leaves the old credentials; a kill after storing leaves suspended rows, which the next sync revives.
    package static func run(
        _ location: StateLocation, at login: ProviderLogin, secrets: LoginSecrets, caFile: String?,
        dialog: LoginDialog, logger: Logger
    ) async throws(Refusal) -> UserLogin {
        let place = try location.resolve()
        let store = try await place.openForSession()
        defer { store.close() }
        let file = UserCredentials(folder: place.folder)
        let previous: StoredCredentials?
        let before: UserSession
        do {
            before = try place.session(in: store)
            previous = try file.read()[login.provider]
        } catch { throw Refusal(any: error) }
        let credentials = try await login.credentials(
            secrets, user: place.user.text, previous: previous, caFile: caFile, folder: place.folder,
            dialog: dialog, logger: logger)
        var report = UserLogin(
            user: place.user.text, wasOpen: before.isOpen, provider: login.provider, expiresAt: credentials.expiresAt)
        do {
            // The provider may have taken long: a logout or login in the meantime wins.
            let session = try store.sessions.open(provider: login.provider, since: before.generation)
            guard let session else { throw Refusal.user(.overtaken(provider: login.provider)) }
            if login.hasHelper {
                // Credentials of an earlier login don't count any more, and nothing replaces them here.
                try file.forget(login.provider)
            } else if try !file.store(credentials, of: login.provider, since: session.generation, by: store) {
                throw Refusal.user(.overtaken(provider: login.provider))
            }
        } catch { throw Refusal(any: error) }
        try await report.tell(login.provider, place, store)
        for shard in place.shards {
            do throws(Refusal) {
                let store = try await shard.openForSession()
                defer { store.close() }
                try await report.tell(login.provider, shard, store)
            } catch { report.trouble = .unopened(shard.folder.path.string) }
        }
        return report
    }

    /// Lets the downloads of a provider that wait in one state go on, by its running sync if there is one.
    private mutating func tell(
        _ provider: String, _ place: StateLocation.Place, _ store: DownloadStore
    ) async throws(Refusal) {
        switch try await ControlChannel.ask(.providerLoggedIn(provider), of: place) {
        case .free(let lock):
            defer { lock.release() }
            do throws(StoreError) {
                resumed = try (resumed ?? 0) + store.downloads.resume(ofProvider: provider)
            } catch { throw Refusal(error) }
        case .answered(.failed(let message)): trouble = .failed(message)
        case .answered: break
        case .silent(let holder), .working(let holder): trouble = .silent(holder)
        }
    }
}
