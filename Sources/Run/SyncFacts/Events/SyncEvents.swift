import DequeModule
import OrderedCollections
import Synchronization

/// Passes every event of a run to each of its readers.
///
/// Posting never waits. A slow reader gets only the newest progress of each download; all other events are kept for it,
/// in order.
package final class EventHub: Sendable {
    private struct State {
        var readers: [SyncEvents.Buffer] = []
        var isFinished = false
        var warnings = 0
    }

    private let state = Mutex(State())

    package init() {
    }

    /// The number of posted warnings.
    package var warnings: Int { state.withLock { $0.warnings } }

    /// A new reader; it gets events posted from now on.
    package func subscribe() -> SyncEvents {
        let buffer = SyncEvents.Buffer()
        state.withLock { state in
            if state.isFinished { buffer.finish() } else { state.readers.append(buffer) }
        }
        return SyncEvents(buffer: buffer)
    }

    package func post(_ event: SyncEvent) {
        let readers = state.withLock { state in
            if case .warning = event { state.warnings += 1 }
            return state.readers
        }
        for reader in readers { reader.post(event) }
    }

    /// Ends every reader's sequence after its remaining events.
    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.finish() }
    }
}

/// The events of a run, for one reader; ends after ``SyncEvent/finished(_:)``.
package struct SyncEvents: AsyncSequence, Sendable {
    package typealias Element = SyncEvent
    package typealias Failure = Never

    let buffer: Buffer

    /// Reads the events in order.
    package struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: Buffer

        package mutating func next() async -> SyncEvent? { await buffer.next() }
        package mutating func next(isolation actor: isolated (any Actor)?) async -> SyncEvent? { await buffer.next() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }

    /// The unread events of a reader.
    package final class Buffer: Sendable {
        private struct State {
            var events: Deque<SyncEvent> = []
            /// The newest progress of each download; older ones are dropped.
            var progress: OrderedDictionary<VideoReference, DownloadProgress> = [:]
            var isFinished = false
            var waiting: CheckedContinuation<SyncEvent?, Never>?

            mutating func take() -> SyncEvent? {
                if let event = events.popFirst() { return event }
                guard !progress.isEmpty else { return nil }
                let (video, progress) = progress.removeFirst()
                return .progress(video, progress)
            }
        }

        private let state = Mutex(State())

        func post(_ event: SyncEvent) {
            let (waiting, next): (CheckedContinuation<SyncEvent?, Never>?, SyncEvent?) = state.withLock { state in
                if case .progress(let video, let progress) = event {
                    state.progress[video] = progress
                } else {
                    if let video = event.endsProgress { state.progress.removeValue(forKey: video) }
                    state.events.append(event)
                }
                guard let waiting = state.waiting else { return (nil, nil) }
                state.waiting = nil
                return (waiting, state.take())
            }
            waiting?.resume(returning: next)
        }

        func finish() {
            let waiting = state.withLock { state in
                state.isFinished = true
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: nil)
        }

        func next() async -> SyncEvent? {
            await withCheckedContinuation { continuation in
                let ready: SyncEvent?? = state.withLock { state in
                    if let event = state.take() { return .some(event) }
                    if state.isFinished { return .some(nil) }
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
    }
}

extension SyncEvent {
    /// The download whose earlier progress is outdated by this event.
    fileprivate var endsProgress: VideoReference? {
        switch self {
        case .downloadFinished(let video, _), .downloadRetrying(let video, _, _, _), .downloadFailed(let video, _, _),
            .downloadSuspended(let video, _), .downloadPaused(let video), .downloadCancelled(let video),
            .downloadWaiting(let video), .downloadRemoved(let video):
            video
        default: nil
        }
    }
}
