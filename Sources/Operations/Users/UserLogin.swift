import DownloadJobs
package import DownloadRunner
import DownloadStore
import FileSystem
package import Foundation
package import Logging
package import SyncFacts
package import UserState

/// What `login` did.
package struct UserLogin: Sendable, Equatable {
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
    /// A running sync that doesn't answer, in words; its next run knows.
    package var silent: String?
    /// Why a running sync couldn't take it in, in a sentence; its next run knows.
    package var problem: String?
    /// Whether the user has never had a sync.
    package var isNew = false
    /// A sync that has waited for this login and goes on now.
    package var waiting: RunningSync?

    package init(
        user: String, wasOpen: Bool, provider: String? = nil, expiresAt: Date? = nil, resumed: Int? = nil,
        silent: String? = nil
    ) {
        self.user = user
        self.wasOpen = wasOpen
        self.provider = provider
        self.expiresAt = expiresAt
        self.resumed = resumed
        self.silent = silent
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
            report.isNew = try store.runs(limit: 1).isEmpty
            _ = try store.openSession()
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
            secrets, user: place.user.text, previous: previous, caFile: caFile, logger: logger)
        var report = UserLogin(
            user: place.user.text, wasOpen: before.isOpen, provider: login.provider, expiresAt: credentials.expiresAt)
        do {
            // Asking may have taken long: what the person has said in the meantime is the last word.
            let session = try store.openSession(provider: login.provider, since: before.generation)
            guard let session,
                try file.store(credentials, of: login.provider, since: session.generation, by: store)
            else {
                throw Refusal(
                    condition: .loginNeeded,
                    message: """
                        somebody has logged out in the meantime, or has logged in at “\(login.provider)”; nothing was \
                        stored. Log in again if you want to
                        """)
            }
        } catch { throw Refusal(any: error) }
        switch try await ControlLine.ask(.providerLoggedIn(login.provider), of: place) {
        case .free(let lock):
            defer { lock.release() }
            do throws(StoreError) {
                report.resumed = try store.resumeDownloads(ofProvider: login.provider)
            } catch { throw Refusal(error) }
        case .answered(.failed(let message)): report.problem = message
        case .answered: break
        case .silent(let holder), .working(let holder): report.silent = Refusal.name(holder)
        }
        return report
    }
}

extension Refusal {
    /// A process in words.
    static func name(_ holder: LockHolder?) -> String {
        holder.map { "process \($0.pid) on \($0.host)" } ?? "another process"
    }
}
