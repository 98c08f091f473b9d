import Dispatch
package import DownloadStore
import Foundation
package import MediaLibrary
package import MediaTransfer
import Synchronization

/// The one writer of a run: everything that has to be durable in a certain order happens on its queue, one thing after
/// the other, so that no row ever claims bytes of a partial that has been emptied since.
///
/// Progress of all active downloads is flushed and written once a second in one transaction; changes of state that
/// nobody waits for go along with it. Completed files are placed in groups, since two transactions and a flush of the
/// folders cost the same for one file as for a hundred: a group waits a moment for others that are nearly complete.
package final class Bookkeeper: Sendable {
    /// What it tells the dispatcher. Called on its queue.
    package struct Callbacks: Sendable {
        var placed: @Sendable ([PlacedFile]) -> Void
        /// The data of these could not be made durable, or no place could be found.
        var notPlaced: @Sendable (ArrivedFile, PlacingFailure) -> Void
        /// A download's partial failed to reach the disk.
        var flushFailed: @Sendable (DownloadID, FileError) -> Void
        /// The state can't be written any more; ``stop()`` says why.
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
        /// Why the state can't be written any more.
        var failure: StoreError?
        /// The first change that was left out.
        var refusal: StoreError?
    }

    private static let groupLimit = 256
    /// How long a complete file waits for others to be placed with it.
    private static let gathering = DispatchTimeInterval.milliseconds(20)
    private let state = Mutex(State())
    private let callbacks = Mutex<Callbacks?>(nil)
    private let queue = DispatchQueue(label: "bookkeeper", qos: .userInitiated)
    private let store: DownloadStore
    private let placer: Placer
    private let list: ListKeeper?

    /// - Parameter list: what it keeps beside the state.
    package init(store: DownloadStore, library: LibraryFolder, list: ListKeeper? = nil) {
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

    /// Writes what is left, and ends. Returns what kept it from writing all that was noted, from its start on: what a run
    /// has come to is judged by that, so after this.
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

    // MARK: what others ask of it

    /// A change that nobody waits for: durable within a second or two.
    package func note(_ change: DownloadChange) { state.withLock { $0.journal.append(change) } }

    /// A change that is durable on return, with all that was noted before it. False if the state can't be written.
    ///
    /// `body` runs behind it on the bookkeeper's own queue, so that no progress that was read before `body` can be written
    /// after it: the place for emptying a partial.
    func commit(_ change: DownloadChange, then body: @escaping @Sendable () -> Void = {}) async -> Bool {
        await commit([change], then: body)
    }

    /// As ``commit(_:then:)`` for several in one transaction; none at all makes durable what was noted before.
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

    /// Ends what ``watch(_:)`` began. What has arrived is flushed and written once more.
    package func unwatch(_ download: any WatchedDownload) {
        let wasWatched = state.withLock { $0.active.removeValue(forKey: download.id) != nil }
        if wasWatched { queue.async { self.keep(download) } }
    }

    /// A complete file on its way to its place.
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
    private func write(_ changes: [DownloadChange]) -> Bool {
        let journal = state.withLock { state in
            defer { state.journal.removeAll(keepingCapacity: true) }
            return state.failure == nil ? state.journal : []
        }
        var all = journal + changes
        do throws(StoreError) {
            while true {
                do throws(StoreError) {
                    try store.write(all)
                    list?.note(all)
                    break
                } catch .refusedTransition(let id, let transition, let state) {
                    // One that contradicts what has happened since costs itself, not the progress of everybody else.
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
                defer { state.failure = state.failure ?? error }
                return state.failure == nil
            }
            if isFirst { tell { $0.storeFailed() } }
            return false
        }
    }

    /// One group; the next one queues up behind whatever else has to be written.
    private func placeGroup() {
        let group = state.withLock { state in
            defer { state.arrived.removeFirst(min(Self.groupLimit, state.arrived.count)) }
            return Array(state.arrived.prefix(Self.groupLimit))
        }
        let placed = placer.place(group, write: write) { file, failure in
            self.tell { $0.notPlaced(file, failure) }
        }
        if let placed, !placed.isEmpty { tell { $0.placed(placed) } }
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
