import Dispatch
package import DownloadStore
import Foundation
package import MediaLibrary
package import MediaTransfer
import Synchronization

/// The only writer of a run: everything that has to be durable in a certain order happens on its queue, one step after
/// the other, so that no row ever claims bytes of a partial that has been emptied since.
///
/// Progress of all active downloads is flushed and written once a second in one transaction, together with changes of
/// state that nobody waits for. Completed files are placed in groups, since two transactions and a flush of the folders
/// cost the same for one file as for a hundred: a group waits a moment for others that are nearly complete.
package final class Bookkeeper: Sendable {
    /// Its reports to the dispatcher. Called on its queue.
    package struct Callbacks: Sendable {
        var placed: @Sendable ([PlacedFile]) -> Void
        /// Their data could not be made durable, or no place could be found.
        var notPlaced: @Sendable (ArrivedFile, PlacingFailure) -> Void
        /// A download's partial couldn't be flushed.
        var flushFailed: @Sendable (DownloadID, FileError) -> Void
        /// The state can't be written any more; ``stop()`` returns the reason.
        var storeFailed: @Sendable () -> Void

        package init(
            placed: @escaping @Sendable ([PlacedFile]) -> Void,
            notPlaced: @escaping @Sendable (ArrivedFile, PlacingFailure) -> Void,
            flushFailed: @escaping @Sendable (DownloadID, FileError) -> Void,
            storeFailed: @escaping @Sendable () -> Void
        ) {
            self.placed = placed
            self.notPlaced = notPlaced
            self.flushFailed = flushFailed
            self.storeFailed = storeFailed
        }
    }

    private struct State {
        var journal: [DownloadChange] = []
        var arrived: [ArrivedFile] = []
        var active: [DownloadID: any WatchedDownload] = [:]
        var isPlacing = false
        var isRunning = false
        /// The error after which the state can't be written any more.
        var failure: StoreError?
        /// The first refused change.
        var refusal: StoreError?
    }

    private static let groupLimit = 256
    /// The time that a complete file waits for others to be placed with it.
    private static let gathering = DispatchTimeInterval.milliseconds(20)
    private let state = Mutex(State())
    private let callbacks = Mutex<Callbacks?>(nil)
    private let queue = DispatchQueue(label: "bookkeeper", qos: .userInitiated)
    private let store: DownloadStore
    private let placer: Placer
    private let list: FileListUpdater?

    /// - Parameter list: the list beside the state that it keeps up to date.
    package init(store: DownloadStore, library: LibraryFolder, list: FileListUpdater? = nil) {
        self.store = store
        self.list = list
        placer = Placer(store: store, library: library)
    }

    package func start(_ callbacks: Callbacks) {
        self.callbacks.withLock { $0 = callbacks }
        state.withLock { $0.isRunning = true }
        keepEverySecond()
    }

    private func keepEverySecond() {
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self, state.withLock({ $0.isRunning }) else { return }
            keep()
            keepEverySecond()
        }
    }

    /// Writes the remaining changes, and ends. Returns the errors that prevented writing since its start: the run's
    /// result depends on them, so it is determined after this.
    package func stop() async -> [StoreError] {
        state.withLock { $0.isRunning = false }
        await withCheckedContinuation { continuation in
            queue.async {
                self.keep()
                continuation.resume()
            }
        }
        callbacks.withLock { $0 = nil }
        return state.withLock { [$0.failure, $0.refusal].compactMap { $0 } }
    }

    // MARK: calls from outside

    /// A change without a waiting caller: durable within a second or two.
    package func note(_ change: DownloadChange) { state.withLock { $0.journal.append(change) } }

    /// A change that is durable on return, with all changes noted before it. False if the state can't be written.
    ///
    /// `body` runs after it on the bookkeeper's own queue, so that no progress read before `body` can be written after
    /// it: the place for emptying a partial.
    package func commit(_ change: DownloadChange, then body: @escaping @Sendable () -> Void = {}) async -> Bool {
        await commit([change], then: body)
    }

    /// Like ``commit(_:then:)`` for several in one transaction; an empty list makes durable what was noted before.
    package func commit(_ changes: [DownloadChange], then body: @escaping @Sendable () -> Void = {}) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async {
                let isWritten = self.write(changes)
                if isWritten { body() }
                continuation.resume(returning: isWritten)
            }
        }
    }

    /// Its partial is flushed and its progress written from now on.
    package func watch(_ download: any WatchedDownload) { state.withLock { $0.active[download.id] = download } }

    /// Ends ``watch(_:)``. The remaining progress is flushed and written once more.
    package func unwatch(_ download: any WatchedDownload) {
        let wasWatched = state.withLock { $0.active.removeValue(forKey: download.id) != nil }
        if wasWatched { queue.async { self.keep(download) } }
    }

    /// Queues a complete file for placing.
    package func place(_ file: ArrivedFile) {
        let isFirst = state.withLock { state in
            state.arrived.append(file)
            if case .video(let id, _) = file.role { state.active[id] = nil }
            defer { state.isPlacing = true }
            return !state.isPlacing
        }
        if isFirst { placeGroup(after: Self.gathering) }
    }

    private func placeGroup(after delay: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + delay) { self.placeGroup() }
    }

    // MARK: on the queue

    private func keep() {
        let active = state.withLock { $0.active }
        _ = write(active.values.compactMap { progress(of: $0) })
        // Beside the state, once a second: no file waits for it.
        list?.flush()
    }

    private func keep(_ download: any WatchedDownload) {
        if let change = progress(of: download) { note(change) }
        download.closePartial()
    }

    private func progress(of download: any WatchedDownload) -> DownloadChange? {
        do {
            return try download.flush().map { .progress(download.id, $0) }
        } catch {
            if error != .closed { tell { $0.flushFailed(download.id, error) } }
            return nil
        }
    }

    /// Writes the journal and then `changes` in one transaction.
    ///
    /// A journal that can't be written is kept for the next transaction: no later row may become durable without those
    /// noted before it, such as a finished video without the rows of its subtitles. `changes` are their caller's.
    private func write(_ changes: [DownloadChange]) -> Bool {
        let journal = state.withLock { state in
            defer { state.journal.removeAll(keepingCapacity: true) }
            return state.journal
        }
        var all = journal + changes
        do throws(StoreError) {
            while true {
                do throws(StoreError) {
                    try store.write(all)
                    list?.note(all)
                    break
                } catch .refusedTransition(let id, let transition, let state) {
                    // A change that contradicts later ones is dropped alone, not the progress of all others.
                    let count = all.count
                    all.removeAll { $0.isTransition(of: id) }
                    let refusal = StoreError.refusedTransition(id, transition, from: state)
                    self.state.withLock { $0.refusal = $0.refusal ?? refusal }
                    if all.count == count { throw refusal }
                }
            }
            return state.withLock { $0.failure == nil }
        } catch {
            let isFirst = state.withLock { state in
                // A contradiction would be refused each time.
                if case .refusedTransition = error {} else { state.journal.insert(contentsOf: journal, at: 0) }
                defer { state.failure = state.failure ?? error }
                return state.failure == nil
            }
            if isFirst { tell { $0.storeFailed() } }
            return false
        }
    }

    /// Places one group; the next one queues up behind other writes.
    private func placeGroup() {
        let group = state.withLock { state in
            defer { state.arrived.removeFirst(min(Self.groupLimit, state.arrived.count)) }
            return Array(state.arrived.prefix(Self.groupLimit))
        }
        let placed = placer.place(group, write: write) { file, failure in
            self.tell { $0.notPlaced(file, failure) }
        }
        if let placed, !placed.isEmpty {
            if placed.contains(where: \.file.isAwaited) { list?.flush() }
            tell { $0.placed(placed) }
        }
        let waiting = state.withLock { state in
            state.isPlacing = !state.arrived.isEmpty
            return state.arrived.count
        }
        if waiting > 0 { placeGroup(after: waiting < Self.groupLimit ? Self.gathering : .nanoseconds(0)) }
    }

    private func tell(_ body: (Callbacks) -> Void) {
        if let callbacks = callbacks.withLock({ $0 }) { body(callbacks) }
    }
}
