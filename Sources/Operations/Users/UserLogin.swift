import DownloadJobs
package import DownloadRunner
import DownloadStore
package import FileSystem
package import Foundation
package import Logging
package import SyncFacts
package import UserState

/// What `login` did.
package struct UserLogin: Sendable, Equatable {
    /// How a running sync took it.
    package enum Trouble: Sendable, Equatable {
        /// It doesn't answer; nil if its lock doesn't tell who it is.
        case silent(LockHolder?)
        /// It can't take it in; what it said.
        case failed(String)
    }

    /// Whom it was for.
    package var user: String
    /// Whether the session was open already.
    package var wasOpen: Bool
    /// Where else; nil for the session alone.
    package var provider: String?
    /// When the provider's credentials stop being good; nil if that isn't known.
    package var expiresAt: Date?
    /// Downloads that wait again; nil where a running sync was told.
    package var resumed: Int?
    /// What came of telling a running sync that didn't just take it in; its next run knows.
    package var trouble: Trouble?
    /// Whether the user has never had a sync.
    package var isNew = false
    /// A sync that has waited for this login and goes on now.
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

    /// Opens the user's session; makes the state of a user who has none.
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

    /// Logs in at a provider, too: asks it, opens the session, stores what it gave and lets waiting downloads go on.
    ///
    /// The session is opened first, which ends the right of running syncs to store what they renew of the old login. A kill
    /// after it leaves the old credentials; a kill after storing leaves suspended rows, which the next sync revives.
    package static func run(
        _ location: StateLocation, at login: ProviderLogin, secrets: LoginSecrets, caFile: String?, logger: Logger
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
            logger: logger)
        var report = UserLogin(
            user: place.user.text, wasOpen: before.isOpen, provider: login.provider, expiresAt: credentials.expiresAt)
        do {
            // Asking may have taken long: what the person has said in the meantime is the last word.
            let session = try store.sessions.open(provider: login.provider, since: before.generation)
            guard let session else { throw Refusal.user(.overtaken(provider: login.provider)) }
            if login.hasHelper {
                // What an earlier login left counts no more, and nothing takes its place here.
                try file.forget(login.provider)
            } else if try !file.store(credentials, of: login.provider, since: session.generation, by: store) {
                throw Refusal.user(.overtaken(provider: login.provider))
            }
        } catch { throw Refusal(any: error) }
        switch try await ControlChannel.ask(.providerLoggedIn(login.provider), of: place) {
        case .free(let lock):
            defer { lock.release() }
            do throws(StoreError) {
                report.resumed = try store.downloads.resume(ofProvider: login.provider)
            } catch { throw Refusal(error) }
        case .answered(.failed(let message)): report.trouble = .failed(message)
        case .answered: break
        case .silent(let holder), .working(let holder): report.trouble = .silent(holder)
        }
        return report
    }
}
