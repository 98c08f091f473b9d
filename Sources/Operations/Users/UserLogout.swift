package import DownloadRunner
import DownloadStore
import FileSystem
package import SyncFacts
import UserState

/// What `logout` did.
package struct UserLogout: Sendable, Equatable {
    /// What came of the sync that was running.
    package enum Ending: Sendable, Equatable {
        /// None was.
        case nobody
        /// It has stopped what it was told to.
        case stopped
    }

    /// Whom it was for.
    package var user: String
    /// Nil for the whole session.
    package var provider: String?
    /// Whether there was nothing to log out of: a session that was closed, or a provider without credentials.
    package var wasOut: Bool
    /// Whether credentials stay stored.
    package var keepsCredentials: Bool
    /// What came of a running sync.
    package var ending: Ending

    package init(user: String, provider: String? = nil, wasOut: Bool, keepsCredentials: Bool = false, ending: Ending) {
        self.user = user
        self.provider = provider
        self.wasOut = wasOut
        self.keepsCredentials = keepsCredentials
        self.ending = ending
    }

    /// How long a running sync has for its answer.
    private static let timeout: Duration = .seconds(5)

    /// Closes the session, wipes the credentials, and waits until nothing is transferring any more.
    ///
    /// In this order: from the session's commit on no sync stores credentials any more, so that what is wiped after it stays
    /// away.
    package static func run(_ location: StateLocation, keepsCredentials: Bool) async throws(Refusal) -> UserLogout {
        let place = try location.resolve()
        try place.requireKnown()
        var report = UserLogout(
            user: place.user.text, wasOut: true, keepsCredentials: keepsCredentials, ending: .nobody)
        let file = UserCredentials(folder: place.folder)
        let store: DownloadStore
        do throws(Refusal) {
            store = try await place.openForSession()
        } catch {
            // A state that can't be opened is no reason to keep secrets.
            guard !keepsCredentials, (try? file.wipe()) != nil else { throw error }
            throw .user(.onlyWiped(error))
        }
        defer { store.close() }
        do throws(StoreError) {
            report.wasOut = try !place.session(in: store).isOpen
            // Also of one who is out: a login may be waiting for its provider's answer.
            _ = try store.sessions.close()
        } catch { throw Refusal(error) }
        var unwiped: Refusal?
        if !keepsCredentials {
            do throws(CredentialsError) { try file.wipe() } catch { unwiped = Refusal(error) }
        }
        defer { if !keepsCredentials { place.folder.removePluginData() } }
        report.ending = try await ending(of: .loggedOut, place)
        if let unwiped { throw unwiped }
        return report
    }

    /// Forgets one provider: its credentials are wiped, and a running sync stops what it fetches through it.
    package static func run(_ location: StateLocation, provider: String) async throws(Refusal) -> UserLogout {
        let place = try location.resolve()
        try place.requireKnown()
        var report = UserLogout(user: place.user.text, provider: provider, wasOut: true, ending: .nobody)
        guard place.hasState else { return report }
        let store = try await place.openForSession()
        defer { store.close() }
        do throws(StoreError) {
            _ = try store.sessions.close(ofProvider: provider)
        } catch { throw Refusal(error) }
        var unwiped: Refusal?
        do throws(CredentialsError) {
            report.wasOut = try !UserCredentials(folder: place.folder).forget(provider)
        } catch { unwiped = Refusal(error) }
        defer { place.folder.removePluginData(of: provider) }
        report.ending = try await ending(of: .providerLoggedOut(provider), place)
        if let unwiped { throw unwiped }
        return report
    }

    private static func ending(
        of request: ControlRequest, _ place: StateLocation.Place
    ) async throws(Refusal) -> Ending {
        switch try await ControlChannel.ask(request, of: place, timeout: timeout) {
        case .free(let lock):
            lock.release()
            return .nobody
        case .answered(.failed(let message)): throw .answered(message, .workLeft)
        case .answered: return .stopped
        case .silent(let holder), .working(let holder): throw .user(.stillTransferring(holder))
        }
    }
}
