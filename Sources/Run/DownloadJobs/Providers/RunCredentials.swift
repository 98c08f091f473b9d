package import DownloadStore
import FileSystem
import Foundation
package import Logging
import MediaTransfer
import ProviderHost
import ProviderKit
package import SyncFacts
import Synchronization
import SystemPackage
package import UserState

/// The credentials of one run for its providers. Read once; renewed ones replace the old for the rest of the run, and
/// are stored as long as their session is the current one.
package final class RunCredentials: Sendable {
    /// The credentials for a request.
    package struct Held: Sendable, Equatable {
        /// Nil if there are none.
        var credentials: Secret<JSONValue>?
        /// The generation of the session that they belong to.
        var generation: Int64
    }

    private struct Entry {
        var held: Held
        /// Counts replacements, so that the newest is stored once.
        var version = 0
        var storedVersion = 0
        /// Whether they came from a credential helper: then nothing is stored here.
        var isHelped = false
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The session's generation when everything was read.
        var generation: Int64 = 0
        /// The reason why a provider's newest credentials aren't stored, by its name.
        var unsaved: [String: Refusal] = [:]
    }

    private let file: UserCredentials
    /// Nil for a user without a state, for whom nothing is stored.
    private let store: DownloadStore?
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the stored credentials.
    ///
    /// - Parameter generation: of the session, read before: after a login in between the credentials read here are too
    ///   old to be stored again, never the other way round.
    package init(
        _ folder: StateFolder, generation: Int64, store: DownloadStore?, logger: Logger
    ) throws(CredentialsError) {
        file = UserCredentials(folder: folder)
        self.store = store
        self.logger = logger
        var state = State(generation: generation)
        for (name, stored) in try file.read() {
            state.entries[name] = Entry(held: Held(credentials: stored.credentials, generation: generation))
        }
        self.state = Mutex(state)
    }

    /// Renewed credentials that couldn't be stored: the next run begins with the old ones. For the end of a run.
    package var unsaved: [Refusal] { state.withLock { $0.unsaved.sorted { $0.key < $1.key }.map(\.value) } }

    /// The folder that a provider's plugin may write to; nil for a user without a state, and if none can be made.
    func dataFolder(of provider: String) -> String? {
        guard store != nil else { return nil }
        do throws(StateError) { return try file.folder.pluginData(of: provider).string } catch {
            logger.warning("the folder of the provider '\(provider)' can't be made", error: Refusal(error))
            return nil
        }
    }

    /// The credentials for a request to a provider.
    func held(of provider: String) -> Held {
        state.withLock { $0.entries[provider]?.held ?? Held(credentials: nil, generation: $0.generation) }
    }

    func ofRequest(to provider: String) -> RequestCredentials {
        let sent = Mutex(held(of: provider))
        return RequestCredentials(
            current: {
                let held = self.held(of: provider)
                sent.withLock { $0 = held }
                return held.credentials
            }, renew: { self.renew($0, of: provider, after: sent.withLock { $0 }) })
    }

    /// Takes credentials from the answer to a request that was sent with `held`, for requests from now on; ``save(_:)``
    /// makes them durable. Drops them if somebody has logged in or out in this run since.
    func renew(_ credentials: Secret<JSONValue>, of provider: String, after held: Held) {
        state.withLock { state in
            var entry =
                state.entries[provider] ?? Entry(held: Held(credentials: nil, generation: state.generation))
            guard entry.held.generation == held.generation, entry.held.credentials != credentials else { return }
            entry.held.credentials = credentials
            entry.version += 1
            state.entries[provider] = entry
        }
    }

    /// Takes credentials of a login with a credential helper's secrets: for this run, in memory only. Returns false if
    /// somebody has logged in or out since `held` was read.
    func take(_ credentials: Secret<JSONValue>, of provider: String, after held: Held) -> Bool {
        state.withLock { state in
            let known = state.entries[provider]?.held.generation ?? state.generation
            guard known == held.generation else { return false }
            var entry = Entry(held: Held(credentials: credentials, generation: held.generation))
            entry.isHelped = true
            state.entries[provider] = entry
            return true
        }
    }

    /// Stores a provider's renewed credentials. Durable on return, unless somebody has logged out or in since, in any
    /// process: then they are dropped.
    package func save(_ provider: String) async {
        let isDirty = state.withLock { state in
            state.entries[provider].map { $0.version > $0.storedVersion && !$0.isHelped } ?? false
        }
        guard isDirty, let store else { return }
        await Blocking.run { _ in self.save(provider, store) }
    }

    /// ``save(_:)`` for every provider.
    func saveAll() async {
        for provider in state.withLock({ Array($0.entries.keys) }) { await save(provider) }
    }

    /// Reads the credentials just stored by a login at a provider. Returns whether there are any.
    func reload(_ provider: String) async -> Bool {
        await Blocking.run { _ in
            guard let generation = self.currentGeneration() else { return false }
            do throws(CredentialsError) {
                let stored = try self.file.read()[provider]
                self.replace(provider, stored?.credentials, generation)
                return stored != nil
            } catch {
                self.warn(provider, "read", Refusal(error))
                self.replace(provider, nil, generation)
                return false
            }
        }
    }

    /// Forgets a provider's credentials: pending answers don't bring them back.
    func forget(_ provider: String) async {
        await Blocking.run { _ in
            self.replace(provider, nil, self.currentGeneration() ?? .max)
        }
    }

    private func replace(_ provider: String, _ credentials: Secret<JSONValue>?, _ generation: Int64) {
        state.withLock { state in
            state.entries[provider] = Entry(held: Held(credentials: credentials, generation: generation))
            state.unsaved[provider] = nil
        }
    }

    private func currentGeneration() -> Int64? {
        do { return try store?.sessions.current()?.generation } catch {
            logger.warning("the session can't be read", error: Refusal(error))
            return nil
        }
    }

    /// Stores a provider's newest credentials, so that file and run end with the same ones.
    private func save(_ provider: String, _ store: DownloadStore) {
        do throws(Refusal) {
            var version = 0
            let isStored = try file.store(of: provider, by: store) {
                guard let entry = state.withLock({ $0.entries[provider] }), let credentials = entry.held.credentials,
                    entry.version > entry.storedVersion
                else { return nil }
                version = entry.version
                let stored = StoredCredentials(credentials: credentials, savedAt: Date())
                return (stored, since: entry.held.generation)
            }
            guard isStored else { return }
            state.withLock { state in
                state.unsaved[provider] = nil
                guard let entry = state.entries[provider] else { return }
                state.entries[provider]?.storedVersion = max(entry.storedVersion, min(version, entry.version))
            }
        } catch {
            state.withLock { $0.unsaved[provider] = .provider(.unsaved(provider, error)) }
            warn(provider, "stored", error)
        }
    }

    private func warn(_ provider: String, _ what: String, _ refusal: Refusal) {
        logger.error("new credentials of the provider '\(provider)' can't be \(what)", error: refusal)
    }
}
