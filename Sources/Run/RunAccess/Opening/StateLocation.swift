package import CourseCatalog
package import DownloadStore
package import FileSystem
import Foundation
package import MediaLibrary
import ProviderKit
package import SyncFacts
package import SystemPackage
package import UserState

/// The library's place, and where it was set.
package struct LibraryLocation: Sendable, Equatable {
    /// In order of precedence.
    package enum Source: Sendable, Equatable {
        /// An option, the environment or the settings file.
        case given
        case state
        case standard
    }

    /// Absolute.
    package var path: FilePath
    package var source: Source
}

/// The effective places of a command, defaults filled in.
package struct EffectiveLocations: Sendable, Equatable {
    package var user: String
    /// The folder of all users' state.
    package var state: String
    package var library: String
    /// Whether the library's place comes from the state only.
    package var isLibraryFromState: Bool

    package init(user: String, state: String, library: String, isLibraryFromState: Bool = false) {
        self.user = user
        self.state = state
        self.library = library
        self.isLibraryFromState = isLibraryFromState
    }
}

/// The location of a command's user, state and library.
package struct StateLocation: Sendable, Equatable {
    /// Nil is the account's own user.
    package var user: String?
    /// Replaces the folder that holds all users' state.
    package var state: String?
    /// Replaces the folder that holds the states of the users' shards.
    package var localState: String?
    /// Nil is the default.
    package var library: String?
    /// The shard with a state of its own; nil for the user's own.
    package var shard: Shard?
    /// Whether a new library's videos are divided among its shards.
    package var dividesVideos = false
    /// Whether a command is about all shards of the library.
    package var takesAllShards = false
    /// Why the shard can't be told; then there is no place.
    package var shardProblem: String?

    package init(user: String? = nil, state: String? = nil, library: String? = nil, shard: Shard? = nil) {
        self.user = user
        self.state = state
        self.library = library
        self.shard = shard
    }

    /// The location of a sync.
    package init(_ options: SyncOptions) {
        self.init(user: options.user, state: options.state, library: options.library, shard: options.shard)
        localState = options.localState
        shardProblem = options.shardProblem
        dividesVideos = options.dividesVideos
    }

    /// The user's name; nil if the given one is invalid.
    package var userName: String? { try? resolve().user.text }

    /// The user and all paths. Makes nothing.
    package func resolve() throws(Refusal) -> Place {
        if let shardProblem { throw .answered(shardProblem, .usage) }
        let environment = ProcessInfo.processInfo.environment
        let account = UserName.ofThisAccount(environment: environment)
        let name: UserName
        do {
            name = try user.map { text throws(UserNameError) in try UserName(text) } ?? account
        } catch {
            throw .user(.badName(user ?? ""))
        }
        let locations = Locations(
            environment: environment, state: state.map { FilePath($0) }, localState: localState.map { FilePath($0) })
        var place = Place(
            user: name, isAccountsOwn: name == account, userFolder: locations.state(of: name),
            shards: locations.shards(of: name), shard: shard,
            givenLibrary: library.map { locations.library($0, user: name) },
            standardLibrary: locations.library(nil, user: name))
        place.dividesVideos = dividesVideos
        return place
    }

    /// The places of all shards of the library, if the command is about them; else the one place.
    ///
    /// The library's mark says how many there are.
    package func resolveAll() throws(Refusal) -> [Place] {
        let place = try resolve()
        guard takesAllShards else { return [place] }
        return try place.ofUser.allShards()
    }

    /// The shards that a sync of all of them is about, and their library's path. Makes nothing.
    ///
    /// - Parameter count: as it was given; nil takes it from the library's mark.
    package func shardsToSync(count: Int?) throws(Refusal) -> (shards: [Shard], library: String) {
        let (path, marked, isMarked) = try resolve().ofUser.libraryOfShards()
        guard let count = count ?? marked else {
            throw .run(isMarked ? .noShards(library: path.string) : .shardsUnknown(library: path.string))
        }
        return ((1...count).compactMap { Shard(index: $0, count: count) }, path.string)
    }

    /// The effective places, defaults filled in.
    package func effective() throws(Refusal) -> EffectiveLocations {
        let place = try resolve()
        let root = place.userFolder.path.removingLastComponent().removingLastComponent()
        // An unreadable state has no library here; its error is reported elsewhere.
        let store = (try? place.openAsIs()) ?? nil
        defer { store?.close() }
        let library = try? place.library(in: store)
        return EffectiveLocations(
            user: place.user.text, state: root.string, library: (library ?? place.initialLibrary).path.string,
            isLibraryFromState: library?.source == .state)
    }

    package struct Place: Sendable {
        package var user: UserName
        /// The account's own user is logged in from the start.
        package var isAccountsOwn: Bool
        package var folder: StateFolder
        /// The user's own folder, with the session and the logins; the same, unless this is a shard.
        package let userFolder: StateFolder
        /// Holds the states of the user's shards.
        private let shardsFolder: StateFolder
        package let shard: Shard?
        /// How a new library is marked: whether each course's videos are divided among the shards.
        fileprivate var dividesVideos = false
        /// The library's place set by an option, the environment or the settings file.
        package var givenLibrary: FilePath?
        private let standardLibrary: FilePath

        package init(
            user: UserName, isAccountsOwn: Bool, userFolder: StateFolder, shards: StateFolder? = nil,
            shard: Shard? = nil, givenLibrary: FilePath?, standardLibrary: FilePath
        ) {
            self.user = user
            self.isAccountsOwn = isAccountsOwn
            self.userFolder = userFolder
            self.shard = shard
            let shardsFolder = shards ?? userFolder
            self.shardsFolder = shardsFolder
            folder = shard.map { shardsFolder.shard($0.folderName) } ?? userFolder
            self.givenLibrary = givenLibrary
            self.standardLibrary = standardLibrary
        }

        /// The place of another user whose state is beside this one's.
        package func sibling(_ other: UserName) -> Place {
            let path = userFolder.path.removingLastComponent().appending(other.text)
            let shards = shardsFolder.path.removingLastComponent().appending(other.text)
            return Place(
                user: other, isAccountsOwn: isAccountsOwn && other == user,
                userFolder: StateFolder(path: path, user: other), shards: StateFolder(path: shards, user: other),
                givenLibrary: nil,
                standardLibrary: standardLibrary.removingLastComponent().appending(other.text))
        }

        /// The library's place for every command: the given one; else the one in the state, from the last sync or from
        /// `library move`; else the default.
        package func library(in store: DownloadStore?) throws(StoreError) -> LibraryLocation {
            if givenLibrary == nil, let store, let path = try LibraryOpening.recordedPath(store) {
                return LibraryLocation(path: FilePath(path), source: .state)
            }
            return initialLibrary
        }

        /// The library's place if the state has none.
        fileprivate var initialLibrary: LibraryLocation {
            givenLibrary.map { LibraryLocation(path: $0, source: .given) }
                ?? LibraryLocation(path: standardLibrary, source: .standard)
        }

        /// The user's session. The account's own user is logged in from the start. That of a shard is in the user's own
        /// state.
        package func session(in store: DownloadStore) throws(StoreError) -> UserSession {
            if let session = try recordedSession(store) { return session }
            var session = UserSession.initial
            session.isOpen = isAccountsOwn
            return session
        }

        private func recordedSession(_ store: DownloadStore) throws(StoreError) -> UserSession? {
            guard shard != nil else { return try store.sessions.current() }
            guard ofUser.hasState else { return nil }
            do throws(StoreError) {
                let own = try DownloadStore(path: userFolder.database.string, role: .client)
                defer { own.close() }
                return try own.sessions.current()
            } catch {
                guard case .notMade = error else { throw error }
                return nil
            }
        }

        /// The user's own place; the same, unless this is a shard.
        package var ofUser: Place {
            Place(
                user: user, isAccountsOwn: isAccountsOwn, userFolder: userFolder, shards: shardsFolder,
                givenLibrary: givenLibrary, standardLibrary: standardLibrary)
        }

        /// The shards of the user that have a state here.
        package var shards: [Place] {
            shardsFolder.shardNames.compactMap(Shard.init(folderName:)).map { ofShard($0, givenLibrary: nil) }
        }

        /// All shards of the library that is given, or that a shard of this machine has, or that is the default.
        package func allShards() throws(Refusal) -> [Place] {
            let (path, count, _) = try libraryOfShards()
            guard let count else { throw .run(.noShards(library: path.string)) }
            return (1...count).compactMap { Shard(index: $0, count: count) }.map { ofShard($0, givenLibrary: path) }
        }

        /// The path of that library, and for how many shards it is marked.
        fileprivate func libraryOfShards() throws(Refusal) -> (path: FilePath, count: Int?, isMarked: Bool) {
            do {
                var path = initialLibrary.path
                var isKnown = false
                for known in givenLibrary == nil ? shards : [] where !isKnown {
                    guard let store = (try? known.openAsIs()) ?? nil else { continue }
                    defer { store.close() }
                    guard try LibraryOpening.recordedID(store) != nil else { continue }
                    (path, isKnown) = (try known.library(in: store).path, true)
                }
                let marker = try LibraryFolder.marker(of: path)
                if isKnown, marker == nil {
                    let isThere = FileManager.default.fileExists(atPath: path.string)
                    throw LibraryError.markerMissing(library: path.string, folderExists: isThere)
                }
                let count = marker?.shards.flatMap { (1...Shard.bound).contains($0) ? $0 : nil }
                return (path, count, marker != nil)
            } catch {
                throw Refusal(any: error)
            }
        }

        /// All shards of the library that this shard has opened.
        package func shards(of library: LibraryFolder) -> [Place] {
            let count = shard?.count ?? 0
            return (0..<count).compactMap { Shard(index: $0 + 1, count: count) }
                .map { ofShard($0, givenLibrary: library.root) }
        }

        package func ofShard(_ shard: Shard, givenLibrary: FilePath?) -> Place {
            Place(
                user: user, isAccountsOwn: isAccountsOwn, userFolder: userFolder, shards: shardsFolder, shard: shard,
                givenLibrary: givenLibrary, standardLibrary: standardLibrary)
        }

        /// The state with the sessions: the user's own, which is made for a shard if it is missing. `store` is this
        /// place's.
        package func sessions(beside store: DownloadStore) async throws(Refusal) -> DownloadStore {
            shard == nil ? store : try await ofUser.openForSession()
        }

        /// Why a command about all shards leaves this one out.
        package func leftOut(_ refusal: Refusal) -> Refusal {
            shard.map { .run(.shardLeftOut($0.text, refusal)) } ?? refusal
        }

        package var libraryPart: LibraryPart? {
            shard.map { LibraryPart(name: $0.folderName, count: $0.count, dividesVideos: dividesVideos) }
        }

        /// Refuses a logged-out user. Makes nothing for a user without a state.
        package func requireSession(in store: DownloadStore) throws(Refusal) -> UserSession {
            let session: UserSession
            do { session = try self.session(in: store) } catch { throw Refusal(error) }
            guard session.isOpen else { throw loggedOut }
            return session
        }

        var loggedOut: Refusal { .user(.loggedOut(user.text, isAccountsOwn: isAccountsOwn)) }

        /// Whether the user has a state; a user other than the account's own gets one by logging in.
        package var hasState: Bool { FileManager.default.fileExists(atPath: folder.database.string) }

        /// The state, or nil if this user has none yet. An incomplete new file counts as none.
        ///
        /// That of a shard becomes the copy in the library first, if that is newer. Throws if there is only a copy, and
        /// it can't be read.
        package func openForReading() throws(Refusal) -> DownloadStore? {
            if shard != nil, let refusal = ShardState(self).refresh() { throw refusal }
            return try openAsIs()
        }

        /// Like ``openForReading()``, without a look at the library.
        package func openAsIs(_ role: StateRole = .client) throws(Refusal) -> DownloadStore? {
            guard hasState else { return nil }
            do {
                return try DownloadStore(path: folder.database.string, role: role)
            } catch .notMade {
                return nil
            } catch { throw Refusal(error) }
        }

        /// Takes the user's lock and opens the state to change it.
        ///
        /// Waits for a lock held by another process, if requested; `waiting` is called once.
        ///
        /// - Parameter takesAnyState: a shard's state also counts if the library has a newer copy that can't be used.
        package func openForWriting(
            for catalogs: [String], wait: Duration = .zero, takesAnyState: Bool = false,
            waiting: (LockHolder?) -> Void = { _ in }
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
            try ShardState(self).takeNewerCopy(orKeep: takesAnyState)
            do {
                return (lock, try DownloadStore(path: folder.database.string, role: .holder))
            } catch { throw Refusal(error) }
        }
    }
}
