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

/// The credentials that one run hands to its providers. Read once; what a provider renews replaces the old for the rest of
/// the run, and is stored as long as the session that it came from is the one that counts.
package final class RunCredentials: Sendable {
    /// What goes with a request.
    package struct Held: Sendable, Equatable {
        /// Nil if nothing is known.
        var credentials: Secret<JSONValue>?
        /// The generation of the session that they belong to.
        var generation: Int64
    }

    private struct Entry {
        var held: Held
        /// Counts what replaced what, so that the newest is stored once.
        var version = 0
        var storedVersion = 0
        /// A credential helper keeps what it came from: nothing of it is stored here.
        var isHelped = false
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Of the session when all of it was read.
        var generation: Int64 = 0
        /// Why the newest of a provider isn't stored, by its name.
        var unsaved: [String: Refusal] = [:]
    }

    private let file: UserCredentials
    /// Nil for a user without a state, for whom nothing is stored.
    private let store: DownloadStore?
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads what is stored.
    ///
    /// - Parameter generation: of the session, read before: a login that comes between makes what is read here too old to be
    ///   stored again, never the other way round.
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

    /// What was renewed and couldn't be stored: the next run begins with what is old. For the end of a run.
    package var unsaved: [Refusal] { state.withLock { $0.unsaved.sorted { $0.key < $1.key }.map(\.value) } }

    /// Where a provider's plugin may write; nil for a user without a state, and where no folder can be made.
    func dataFolder(of provider: String) -> String? {
        guard store != nil else { return nil }
        do throws(StateError) { return try file.folder.pluginData(of: provider).string } catch {
            logger.warning("the folder of the provider '\(provider)' can't be made", error: Refusal(error))
            return nil
        }
    }

    /// What a request to a provider takes along.
    func held(of provider: String) -> Held {
        state.withLock { $0.entries[provider]?.held ?? Held(credentials: nil, generation: $0.generation) }
    }

    /// For one request to a provider.
    func ofRequest(to provider: String) -> RequestCredentials {
        let sent = Mutex(held(of: provider))
        return RequestCredentials(
            current: {
                let held = self.held(of: provider)
                sent.withLock { $0 = held }
                return held.credentials
            }, renew: { self.renew($0, of: provider, after: sent.withLock { $0 }) })
    }

    /// Takes credentials that came in the answer to a request, which had taken `held` along, for requests from now on;
    /// ``save(_:)`` makes them durable. Drops them if somebody has logged in or out in this run since.
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

    /// Takes credentials of a login that a credential helper gave the secrets for: for this run, in memory alone. Returns false
    /// if somebody has logged in or out since `held` was asked for.
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

    /// Stores what a provider has renewed. Durable when it returns, unless somebody logged out or in since, in whichever
    /// process: then it is dropped.
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

    /// Reads what a login has just stored at a provider. Returns whether there is anything.
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

    /// Forgets what is known at a provider: answers that are still on their way change nothing any more.
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

    /// Stores the newest of a provider, whoever brought it: the file ends with what the run ends with.
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
