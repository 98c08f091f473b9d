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

/// The credentials of one run for its providers. Renewed ones replace the old for the rest of the run, and are stored
/// as long as their session is the current one.
///
/// Other processes of the user have the same file. What one of them has stored is never replaced by what was made of
/// older credentials: it is taken over.
package final class RunCredentials: Sendable {
    /// The credentials for a request.
    package struct Held: Sendable, Equatable {
        /// Nil if there are none.
        var credentials: Secret<JSONValue>?
        /// The generation of the session that they belong to.
        var generation: Int64
        /// Counts what was taken over or replaced: an answer to a request that was sent before renews nothing.
        var epoch = 0
    }

    private struct Entry {
        var held: Held
        /// What the file had for the provider when it was last read or stored.
        var known: Secret<JSONValue>?
        /// What ``held`` was made of, if an answer has renewed it.
        var base: Secret<JSONValue>?
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
        /// When the file was last looked at.
        var lastLook = ContinuousClock.now

        /// Takes what another process has stored. Nothing changes if it is what this run knows.
        mutating func takeOver(_ stored: Secret<JSONValue>, of provider: String, _ generation: Int64) {
            let entry = entries[provider] ?? Entry(held: Held(credentials: nil, generation: self.generation))
            guard !entry.isHelped, stored != entry.known else { return }
            guard stored != entry.held.credentials, stored != entry.base else {
                entries[provider]?.known = stored
                return
            }
            let held = Held(credentials: stored, generation: generation, epoch: entry.held.epoch + 1)
            entries[provider] = Entry(held: held, known: stored)
            unsaved[provider] = nil
        }
    }

    /// The time for which a look at the file counts.
    private static let lookInterval = Duration.seconds(1)

    private let file: UserCredentials
    /// Nil for a user without a state, for whom nothing is stored.
    private let store: DownloadStore?
    private let logger: Logger
    private let state: Mutex<State>
    /// Which content of the file is known. Locked while the file is read or written: what was read earlier mustn't
    /// replace what was read later.
    private let version: Mutex<FileFacts?>
    /// Whether other processes are known to use the same logins at this time: the shards of a catalog.
    let isShared: Bool

    /// Reads the stored credentials.
    ///
    /// - Parameters:
    ///   - generation: of the session, read before: after a login in between the credentials read here are too old to
    ///     be stored again, never the other way round.
    ///   - isShared: whether this is one of several processes that use the same logins.
    package init(
        _ folder: StateFolder, generation: Int64, store: DownloadStore?, isShared: Bool = false, logger: Logger
    ) throws(CredentialsError) {
        file = UserCredentials(folder: folder)
        self.store = store
        self.isShared = isShared && store != nil
        self.logger = logger
        var state = State(generation: generation)
        // Before the content: a change in between is seen then.
        version = Mutex(try file.version())
        for (name, stored) in try file.read() {
            let held = Held(credentials: stored.credentials, generation: generation)
            state.entries[name] = Entry(held: held, known: stored.credentials)
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

    /// Whether a provider's credentials came from a credential helper: each process has its own.
    func isHelped(_ provider: String) -> Bool { state.withLock { $0.entries[provider]?.isHelped ?? false } }

    /// The folder of the file.
    var folder: StateFolder { file.folder }

    /// Takes credentials from the answer to a request that was sent with `held`, for requests from now on; ``save(_:)``
    /// makes them durable. Drops them if since then somebody has logged in or out in this run, or others were taken
    /// over.
    func renew(_ credentials: Secret<JSONValue>, of provider: String, after held: Held) {
        state.withLock { state in
            var entry =
                state.entries[provider] ?? Entry(held: Held(credentials: nil, generation: state.generation))
            guard entry.held.generation == held.generation, entry.held.epoch == held.epoch,
                entry.held.credentials != credentials
            else { return }
            entry.held.credentials = credentials
            entry.base = held.credentials
            entry.version += 1
            state.entries[provider] = entry
        }
    }

    /// Takes credentials of a login with a credential helper's secrets: for this run, in memory only. Returns false if
    /// somebody has logged in or out since `held` was read.
    func take(_ credentials: Secret<JSONValue>, of provider: String, after held: Held) -> Bool {
        state.withLock { state in
            let known = state.entries[provider]?.held ?? Held(credentials: nil, generation: state.generation)
            guard known.generation == held.generation else { return false }
            var entry = Entry(
                held: Held(credentials: credentials, generation: held.generation, epoch: known.epoch + 1))
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

    /// Whether a provider has other credentials now than those of a request: renewed by another answer, or by another
    /// process of the user.
    func hasOthers(than sent: Held, of provider: String) async -> Bool {
        if store != nil { await Blocking.run { _ in self.version.withLock { self.look(&$0) } } }
        let current = held(of: provider).credentials
        return current != nil && current != sent.credentials
    }

    /// Takes over what other processes have stored, if there are any and nobody has looked for a second.
    func lookForOthers() async {
        guard store != nil else { return }
        let isDue = state.withLock { state in
            guard .now - state.lastLook >= Self.lookInterval else { return false }
            state.lastLook = .now
            return true
        }
        guard isDue else { return }
        await Blocking.run { _ in self.version.withLock { self.look(&$0) } }
    }

    /// Reads the file if it isn't the known one. A failure is left to whoever has to store something.
    private func look(_ known: inout FileFacts?) {
        // Before the content, as in the beginning.
        guard let store, let session = try? store.sessions.current() ?? .initial, let version = try? file.version(),
            version != known, let stored = try? file.read()
        else { return }
        known = version
        state.withLock { state in
            for (name, entry) in stored { state.takeOver(entry.credentials, of: name, session.generation) }
        }
    }

    /// ``save(_:)`` for every provider.
    func saveAll() async {
        for provider in state.withLock({ Array($0.entries.keys) }) { await save(provider) }
    }

    /// Reads the credentials just stored by a login at a provider. Returns whether there are any.
    func reload(_ provider: String) async -> Bool {
        await Blocking.run { _ in
            guard let generation = self.currentGeneration() else { return false }
            return self.version.withLock { _ in
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
    }

    /// Forgets a provider's credentials: pending answers don't bring them back.
    func forget(_ provider: String) async {
        await Blocking.run { _ in
            let generation = self.currentGeneration() ?? .max
            self.version.withLock { _ in self.replace(provider, nil, generation) }
        }
    }

    private func replace(_ provider: String, _ credentials: Secret<JSONValue>?, _ generation: Int64) {
        state.withLock { state in
            let epoch = (state.entries[provider]?.held.epoch ?? 0) + 1
            let held = Held(credentials: credentials, generation: generation, epoch: epoch)
            state.entries[provider] = Entry(held: held, known: credentials)
            state.unsaved[provider] = nil
        }
    }

    private func currentGeneration() -> Int64? {
        do { return try store?.sessions.current()?.generation } catch {
            logger.warning("the session can't be read", error: Refusal(error))
            return nil
        }
    }

    /// Stores a provider's newest credentials, so that file and run end with the same ones: those of another process if
    /// that has stored others than these were made of.
    private func save(_ provider: String, _ store: DownloadStore) {
        version.withLock { known in
            do throws(Refusal) {
                var saved: Entry?
                let isStored = try file.store(of: provider, by: store) { present in
                    guard let entry = state.withLock({ $0.entries[provider] }), entry.version > entry.storedVersion,
                        let credentials = entry.held.credentials
                    else { return nil }
                    if let there = present?.credentials {
                        guard there == entry.known || there == entry.base else { return nil }
                    } else if entry.known != nil {
                        // A logout has deleted them, perhaps of credentials that were taken over in between.
                        return nil
                    }
                    saved = entry
                    return (StoredCredentials(credentials: credentials, savedAt: Date()), since: entry.held.generation)
                }
                if isStored, let saved { note(saved, of: provider) } else if saved == nil { look(&known) }
            } catch {
                state.withLock { $0.unsaved[provider] = .provider(.unsaved(provider, error)) }
                warn(provider, "stored", error)
            }
        }
    }

    /// The file has these of a provider now.
    private func note(_ saved: Entry, of provider: String) {
        state.withLock { state in
            state.unsaved[provider] = nil
            guard let entry = state.entries[provider], entry.held.epoch == saved.held.epoch else { return }
            state.entries[provider]?.known = saved.held.credentials
            state.entries[provider]?.storedVersion = max(entry.storedVersion, min(saved.version, entry.version))
        }
    }

    private func warn(_ provider: String, _ what: String, _ refusal: Refusal) {
        logger.error("new credentials of the provider '\(provider)' can't be \(what)", error: refusal)
    }
}
