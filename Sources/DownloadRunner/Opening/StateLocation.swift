package import DownloadStore
package import FileSystem
import Foundation
import ProviderKit
package import SyncFacts
package import SystemPackage
package import UserState

/// Where a command finds its user's state and library.
package struct StateLocation: Sendable, Equatable {
    /// Nil is the account's own user.
    package var user: String?
    /// Replaces the folder that holds all users' state.
    package var state: String?
    /// Nil is the default.
    package var library: String?

    package init(user: String? = nil, state: String? = nil, library: String? = nil) {
        self.user = user
        self.state = state
        self.library = library
    }

    /// The user's name; nil if what was given can't be one.
    package var userName: String? { try? resolve().user.text }

    /// The user and where everything of theirs lies. Makes nothing.
    package func resolve() throws(Refusal) -> Place {
        let environment = ProcessInfo.processInfo.environment
        let account = UserName.ofThisAccount(environment: environment)
        let name: UserName
        do {
            name = try user.map { text throws(UserNameError) in try UserName(text) } ?? account
        } catch {
            throw .user(.badName(user ?? ""))
        }
        let locations = Locations(environment: environment, state: state.map { FilePath($0) })
        return Place(
            user: name, isAccountsOwn: name == account, folder: locations.state(of: name),
            library: locations.library(library, user: name), isLibraryGiven: library != nil)
    }

    /// What holds in the end, defaults filled in: the user's name, the folder of all users' state, the library.
    package func effective() throws(Refusal) -> (user: String, state: String, library: String) {
        let place = try resolve()
        let root = place.folder.path.removingLastComponent().removingLastComponent()
        return (place.user.text, root.string, place.library.string)
    }

    package struct Place: Sendable {
        package var user: UserName
        /// The account's own user is logged in from the start.
        package var isAccountsOwn: Bool
        package var folder: StateFolder
        package var library: FilePath
        /// Whether somebody said where the library is; else it is the default, or where the state knows it.
        var isLibraryGiven = false

        package init(
            user: UserName, isAccountsOwn: Bool, folder: StateFolder, library: FilePath, isLibraryGiven: Bool = false
        ) {
            self.user = user
            self.isAccountsOwn = isAccountsOwn
            self.folder = folder
            self.library = library
            self.isLibraryGiven = isLibraryGiven
        }

        /// The user's session. The account's own user is logged in from the start.
        package func session(in store: DownloadStore) throws(StoreError) -> UserSession {
            if let session = try store.sessions.current() { return session }
            var session = UserSession.initial
            session.isOpen = isAccountsOwn
            return session
        }

        /// Nothing starts for a user who is logged out. Makes nothing for a user without a state.
        package func requireSession(in store: DownloadStore) throws(Refusal) -> UserSession {
            let session: UserSession
            do { session = try self.session(in: store) } catch { throw Refusal(error) }
            guard session.isOpen else { throw loggedOut }
            return session
        }

        /// The refusal for a user who is logged out.
        var loggedOut: Refusal { .user(.loggedOut(user.text, isAccountsOwn: isAccountsOwn)) }

        /// Whether there is a state; a user other than the account's own gets one by logging in.
        package var hasState: Bool { FileManager.default.fileExists(atPath: folder.database.string) }

        /// The state, or nil if this user has none yet. A file that was begun and never made is none.
        package func openForReading() throws(Refusal) -> DownloadStore? {
            guard hasState else { return nil }
            do {
                return try DownloadStore(path: folder.database.string, role: .visitor)
            } catch .notMade {
                return nil
            } catch { throw Refusal(error) }
        }

        /// Takes the user's lock and opens the state to change it.
        ///
        /// For a lock that somebody else holds it waits, if it is to; `waiting` hears of it once.
        package func openForWriting(
            for catalogs: [String], wait: Duration = .zero, waiting: (LockHolder?) -> Void = { _ in }
        ) async throws(Refusal) -> (FileLock, DownloadStore) {
            try requireKnown()
            let lock: FileLock
            let attempt: FileLock.Outcome
            do {
                try folder.create()
                attempt = try await folder.acquireLock(catalogs: catalogs, wait: wait, waiting: waiting)
            } catch { throw Refusal(error) }
            switch attempt {
            case .acquired(let acquired): lock = acquired
            case .held(let holder): throw .held(holder)
            }
            do {
                return (lock, try DownloadStore(path: folder.database.string, role: .holder))
            } catch { throw Refusal(error) }
        }
    }
}
