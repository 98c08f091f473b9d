import DownloadStore
import Foundation
import Synchronization

/// What reaches into a run from outside: signals, limits, logouts, and what other terminals ask.
final class RunControl: Sendable {
    /// What a run that watches its catalogs is woken by.
    enum Wake: Sendable, Equatable {
        case time, catalogs, library, asked, session, stop
    }

    /// A pass that is under way.
    struct Pass: Sendable {
        var dispatcher: Dispatcher
        var services: RunServices
    }

    private struct State {
        var pass: Pass?
        var isBusy = false
        var runStop: SuspendReason?
        var passStop: SuspendReason?
        /// The generation of the last logout that this pass began after.
        var closedGeneration: Int64 = 0
        var idle: CheckedContinuation<Wake, Never>?
        var rung: Wake?
        var whenIdle: [CheckedContinuation<Void, Never>] = []
        var whenReady: [CheckedContinuation<Void, Never>] = []
    }

    /// What `set` changes.
    let knobs: RunKnobs
    private let bounds = Mutex<RunLimits?>(nil)
    private let state = Mutex(State())

    init(_ options: SyncOptions) { knobs = RunKnobs(options) }

    /// The run's bounds, from its start on.
    var limits: RunLimits? {
        get { bounds.withLock { $0 } }
        set { bounds.withLock { $0 = newValue } }
    }

    /// Why the pass is to end, or has; nil as long as nobody wants that.
    var passStop: SuspendReason? { state.withLock { $0.runStop ?? $0.passStop } }

    /// Whether a logout has ended this pass, or the time after it.
    var isLoggedOut: Bool { state.withLock { $0.passStop == .logout } }

    /// Why the whole run is to end.
    var runStop: SuspendReason? { state.withLock { $0.runStop } }

    /// The pass whose downloads have their turns; nil before, after and between.
    var pass: Pass? { state.withLock { $0.pass } }

    /// Suspends what is active and ends the run.
    func stop(_ reason: SuspendReason) { interrupt(reason, isForAll: true) }

    /// Suspends what is active and ends the pass; a run that watches goes on later.
    func interruptPass(_ reason: SuspendReason) { interrupt(reason, isForAll: false) }

    private func interrupt(_ reason: SuspendReason, isForAll: Bool) {
        let dispatcher = state.withLock { state in
            if isForAll { state.runStop = state.runStop ?? reason }
            state.passStop = state.passStop ?? reason
            return state.pass?.dispatcher
        }
        if let dispatcher { Task { await dispatcher.stop(reason) } }
        if isForAll { ring(.stop) }
    }

    /// A pass begins: what interrupted the one before is over.
    func beginPass(_ session: UserSession) {
        state.withLock { state in
            state.isBusy = true
            state.passStop = state.runStop
            state.closedGeneration = session.closedGeneration
        }
        note(session)
    }

    /// Somebody has logged in or out. A logout ends the pass, also if a login has followed it.
    func note(_ session: UserSession) {
        let hasLoggedOut = state.withLock { !session.isOpen || session.closedGeneration > $0.closedGeneration }
        if hasLoggedOut { interruptPass(.logout) }
    }

    /// Its downloads begin to have their turns. Returns why they must not, if somebody has said so already.
    func begin(_ pass: Pass) -> SuspendReason? {
        let (reason, waiting) = state.withLock { state in
            state.pass = pass
            defer { state.whenReady = [] }
            return (state.passStop, state.whenReady)
        }
        for continuation in waiting { continuation.resume() }
        return reason
    }

    /// Nothing is transferring any more, and all that was is durable.
    func endTurns() {
        let waiting = state.withLock { state in
            state.pass = nil
            state.isBusy = false
            defer { (state.whenIdle, state.whenReady) = ([], []) }
            return state.whenIdle + state.whenReady
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when downloads have their turns, or nobody is at work.
    func ready() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isBusy, state.pass == nil { state.whenReady.append(continuation) }
                return !state.isBusy || state.pass != nil
            }
            if isReady { continuation.resume() }
        }
    }

    /// Returns when nothing is transferring.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isBusy = state.withLock { state in
                if state.isBusy { state.whenIdle.append(continuation) }
                return state.isBusy
            }
            if !isBusy { continuation.resume() }
        }
    }

    /// Wakes whoever is in ``wait(_:)``, or comes there next.
    func ring(_ wake: Wake) {
        let idle = state.withLock { state in
            defer { state.idle = nil }
            let isWeaker = state.rung != nil && wake == .session
            if state.idle == nil, state.rung != .stop, !isWeaker { state.rung = wake }
            return state.idle
        }
        idle?.resume(returning: wake)
    }

    /// Waits to be woken. What rang during a pass counts, but for logins, which the pass has seen.
    func wait() async -> Wake {
        await withCheckedContinuation { continuation in
            let rung: Wake? = state.withLock { state in
                if state.runStop != nil { return .stop }
                defer { state.rung = nil }
                if state.rung == nil { state.idle = continuation }
                return state.rung
            }
            if let rung { continuation.resume(returning: rung) }
        }
    }
}
