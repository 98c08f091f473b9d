import CourseCatalog
import DownloadStore
import FileSystem
import MediaLibrary
package import RunAccess
package import SyncFacts
import UserState

package struct UserLogout: Sendable, Equatable {
    /// The effect on a running sync.
    package enum Ending: Sendable, Equatable {
        /// No sync was running.
        case nobody
        /// It has ended the transfers concerned.
        case stopped
    }

    package var user: String
    /// Nil for the whole session.
    package var provider: String?
    /// Whether there was nothing to log out of: the session was closed already, or the provider had no credentials.
    package var wasOut: Bool
    /// Whether credentials stay stored.
    package var keepsCredentials: Bool
    /// The effect on a running sync.
    package var ending: Ending

    package init(user: String, provider: String? = nil, wasOut: Bool, keepsCredentials: Bool = false, ending: Ending) {
        self.user = user
        self.provider = provider
        self.wasOut = wasOut
        self.keepsCredentials = keepsCredentials
        self.ending = ending
    }

    /// The time that a running sync has for its answer.
    private static let timeout: Duration = .seconds(5)

    /// The time that the syncs of shards have to end, on all machines.
    private static let longTimeout: Duration = .seconds(30)

    /// Closes the session, wipes the credentials, and waits until all transfers have ended; for all shards, until no
    /// process writes to one of them.
    ///
    /// In this order: after the session's commit no sync stores credentials any more, so that wiped ones don't come
    /// back.
    package static func run(_ location: StateLocation, keepsCredentials: Bool) async throws(Refusal) -> UserLogout {
        let place = try location.resolve()
        try place.requireKnown()
        // Without the library, too, the session is closed, and its secrets are wiped.
        let shards: Result<[StateLocation.Place], Refusal>
        do throws(Refusal) { shards = .success(location.takesAllShards ? try location.resolveAll() : []) } catch {
            shards = .failure(error)
        }
        var report = UserLogout(
            user: place.user.text, wasOut: true, keepsCredentials: keepsCredentials, ending: .nobody)
        let file = UserCredentials(folder: place.folder)
        let store: DownloadStore
        do throws(Refusal) {
            store = try await place.openForSession()
        } catch {
            // Secrets are wiped even if the state can't be opened.
            guard !keepsCredentials, (try? file.wipe()) != nil else { throw error }
            throw .user(.onlyWiped(error))
        }
        defer { store.close() }
        do throws(StoreError) {
            report.wasOut = try !place.session(in: store).isOpen
            // Also for a logged-out user: a login may be waiting for its provider's answer.
            _ = try store.sessions.close()
        } catch { throw Refusal(error) }
        var unwiped: Refusal?
        if !keepsCredentials {
            do throws(CredentialsError) { try file.wipe() } catch { unwiped = Refusal(error) }
        }
        defer { if !keepsCredentials { place.folder.removePluginData() } }
        let waited = Set(((try? shards.get()) ?? []).compactMap(\.shard))
        report.ending = try await ending(of: .loggedOut, place, waited: waited)
        if try await hasWaited(for: try shards.get()) { report.ending = .stopped }
        if let unwiped { throw unwiped }
        return report
    }

    /// Returns when no process writes to a shard of the library: whether one did.
    private static func hasWaited(for shards: [StateLocation.Place]) async throws(Refusal) -> Bool {
        let deadline = ContinuousClock.now + longTimeout
        var hasWaited = false
        while true {
            var held: [(shard: String, holder: LockHolder?)] = []
            for place in shards {
                guard let shard = place.shard, let library = place.givenLibrary else { continue }
                do throws(LibraryError) {
                    guard let lock = try LibraryFolder.isInUse(library, part: place.libraryPart) else { continue }
                    held.append((shard.text, lock.holder))
                } catch { throw Refusal(error) }
            }
            guard let first = held.first else { return hasWaited }
            guard ContinuousClock.now < deadline else {
                throw .user(.stillSyncing(shard: first.shard, first.holder, others: held.count - 1))
            }
            hasWaited = true
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Logs out of one provider: its credentials are wiped, and a running sync ends its transfers.
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

    /// Tells the running syncs, those of shards too.
    ///
    /// - Parameter waited: the shards whose syncs may take longer, since their ends are waited for afterwards.
    private static func ending(
        of request: ControlRequest, _ place: StateLocation.Place, waited: Set<Shard> = []
    ) async throws(Refusal) -> Ending {
        var endings: [Result<Ending, Refusal>] = []
        await withTaskGroup { group in
            for place in [place] + place.shards {
                group.addTask { () async -> Result<Ending, Refusal> in
                    do throws(Refusal) { return .success(try await endingOfOne(request, place)) } catch {
                        guard case .user(.stillTransferring) = error, let shard = place.shard, waited.contains(shard)
                        else { return .failure(error) }
                        return .success(.stopped)
                    }
                }
            }
            for await ending in group { endings.append(ending) }
        }
        let all = try endings.map { ending throws(Refusal) in try ending.get() }
        return all.contains(.stopped) ? .stopped : .nobody
    }

    private static func endingOfOne(
        _ request: ControlRequest, _ place: StateLocation.Place
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
