import Dispatch
import DownloadStore
import Foundation
import ProviderKit
import RunAccess
import Synchronization
import SystemPackage
import UserState

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
        /// Of the state, and of that with the sessions.
        var versions: [Int64] = []
        var session: UserSession?
        var seen: Set<RequestID> = []
        var isRunning = true
    }

    private static let interval = DispatchTimeInterval.milliseconds(250)

    /// The notices, until ``stop()``.
    let notices: AsyncStream<Notice>
    private let continuation: AsyncStream<Notice>.Continuation
    private let store: DownloadStore
    /// The state with the user's sessions; the same, unless the run is about a shard.
    private let sessions: DownloadStore
    private let isShard: Bool
    private let queue = DispatchQueue(label: "control", qos: .userInitiated)
    private let state: Mutex<State>

    /// Opens the state once more and starts watching; `session` is the one that the run knows already.
    init(_ place: StateLocation.Place, session: UserSession) throws(StoreError) {
        store = try DownloadStore(path: place.folder.database.string, role: .client)
        isShard = place.shard != nil
        sessions = isShard ? try DownloadStore(path: place.userFolder.database.string, role: .client) : store
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
            if self.isShard { self.sessions.close() }
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
        let versions = [try store.dataVersion(), try sessions.dataVersion()]
        guard versions != state.withLock({ $0.versions }) else { return }
        let session = try sessions.sessions.current()
        let requests = try store.requests.open()
        let (isNews, fresh) = state.withLock { state in
            state.versions = versions
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
