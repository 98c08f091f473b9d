import Dispatch
import DownloadStore
import Foundation
import ProviderKit
import RunAccess
import Synchronization

/// Checks four times a second whether another process has written to the user's state: a login, a logout, or a request.
///
/// Uses its own connection, so that a commit of this process that waits for the disk delays nothing; our own writes
/// cost two small reads a second.
final class ControlWatch: Sendable {
    /// A change or request by another process.
    enum Notice: Sendable {
        case session(UserSession)
        /// Nil is a request that this version doesn't know.
        case request(RequestID, ControlRequest?)
    }

    private struct State {
        var version: Int64 = -1
        var session: UserSession?
        var seen: Set<RequestID> = []
        var isRunning = true
    }

    private static let interval = DispatchTimeInterval.milliseconds(250)

    /// The notices, until ``stop()``.
    let notices: AsyncStream<Notice>
    private let continuation: AsyncStream<Notice>.Continuation
    private let store: DownloadStore
    private let queue = DispatchQueue(label: "control", qos: .userInitiated)
    private let state: Mutex<State>

    /// Opens the state once more and starts watching; `session` is the one that the run knows already.
    init(path: String, session: UserSession) throws(StoreError) {
        store = try DownloadStore(path: path, role: .client)
        (notices, continuation) = AsyncStream.makeStream()
        state = Mutex(State(session: session))
        queue.async { self.lookAgain() }
    }

    /// Ends the notices after those that have arrived.
    func stop() {
        state.withLock { $0.isRunning = false }
        queue.async {
            // First: whoever has seen the end closes the state, and the last connection leaves no write-ahead log.
            self.store.close()
            self.continuation.finish()
        }
    }

    private func lookAgain() {
        guard state.withLock({ $0.isRunning }) else { return }
        // An unreadable state gives no notices: the run itself will get the same error.
        try? look()
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.lookAgain() }
    }

    private func look() throws(StoreError) {
        let version = try store.dataVersion()
        guard version != state.withLock({ $0.version }) else { return }
        let session = try store.sessions.current()
        let requests = try store.requests.open()
        let (isNews, fresh) = state.withLock { state in
            state.version = version
            let isNews = session != nil && session != state.session
            state.session = session ?? state.session
            return (isNews, requests.filter { state.seen.insert($0.id).inserted })
        }
        if isNews, let session { continuation.yield(.session(session)) }
        for (id, body) in fresh {
            continuation.yield(.request(id, try? JSONReader.decode(ControlRequest.self, from: body.utf8)))
        }
    }
}
