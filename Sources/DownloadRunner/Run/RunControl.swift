import DownloadJobs
import DownloadStore
import Foundation
import SyncFacts
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
        /// From a pass's beginning to its end.
        var isBusy = false
        /// From the first turn of a pass until nothing of it is transferring.
        var hasTurns = false
        /// Requests that change rows while no pass does.
        var visitors = 0
        /// A pass that begins when they have gone.
        var beginning: CheckedContinuation<Void, Never>?
        var runStop: SuspendReason?
        var passStop: SuspendReason?
        /// The generation of the last logout that this pass began after.
        var closedGeneration: Int64 = 0
        /// The newest that anybody has seen.
        var session: UserSession?
        var idle: CheckedContinuation<Wake, Never>?
        var pendingWake: Wake?
        var whenIdle: [CheckedContinuation<Void, Never>] = []
        var whenReady: [CheckedContinuation<Void, Never>] = []
    }

    /// What `set` changes.
    let adjustable: AdjustableLimits
    private let bounds = Mutex<RunLimits?>(nil)
    private let state = Mutex(State())

    init(_ options: SyncOptions) { adjustable = AdjustableLimits(options) }

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
        if isForAll { wake(.stop) }
    }

    /// A pass begins. Returns when nobody else changes rows, nor will before its first turn.
    func beginPass() async {
        await withCheckedContinuation { continuation in
            let isAlone = state.withLock { state in
                state.isBusy = true
                if state.visitors > 0 { state.beginning = continuation }
                return state.visitors == 0
            }
            if isAlone { continuation.resume() }
        }
    }

    /// What interrupted the pass before is over; this one goes by `session`, unless a later logout is known already.
    func goBy(_ session: UserSession) {
        let newest = state.withLock { state in
            state.passStop = state.runStop
            state.closedGeneration = session.closedGeneration
            return state.session.flatMap { $0.generation > session.generation ? $0 : nil } ?? session
        }
        note(newest)
    }

    /// Somebody has logged in or out. A logout ends the pass, also if a login has followed it.
    func note(_ session: UserSession) {
        let hasLoggedOut = state.withLock { state in
            if session.generation >= state.session?.generation ?? 0 { state.session = session }
            return !session.isOpen || session.closedGeneration > state.closedGeneration
        }
        if hasLoggedOut { interruptPass(.logout) }
    }

    /// Its downloads begin to have their turns. Returns why they must not, if somebody has said so already.
    func begin(_ pass: Pass) -> SuspendReason? {
        let (reason, waiting) = state.withLock { state in
            state.pass = pass
            state.hasTurns = true
            defer { state.whenReady = [] }
            return (state.passStop, state.whenReady)
        }
        for continuation in waiting { continuation.resume() }
        return reason
    }

    /// Nothing is transferring any more, and all that was is durable. The pass still goes by its rows.
    func endTurns() {
        let waiting = state.withLock { state in
            state.pass = nil
            state.hasTurns = false
            defer { state.whenIdle = [] }
            return state.whenIdle
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The pass is over, whether it has had turns or not: rows are anybody's again.
    func endPass() {
        endTurns()
        let waiting = state.withLock { state in
            state.isBusy = false
            defer { state.whenReady = [] }
            return state.whenReady
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until rows may be changed on somebody's behalf: through the pass whose downloads have their turns, or, where
    /// nil is returned, by the caller, until it says ``leave()``.
    ///
    /// - Parameter over: a pass that turned out to be at its end.
    func enter(after over: Pass? = nil) async -> Pass? {
        while true {
            let (entered, pass) = state.withLock { state -> (Bool, Pass?) in
                if let pass = state.pass { return (pass.dispatcher !== over?.dispatcher, pass) }
                if !state.isBusy { state.visitors += 1 }
                return (!state.isBusy, nil)
            }
            if entered { return pass }
            await nextChange(after: over)
        }
    }

    /// Ends what ``enter(after:)`` without a pass began.
    func leave() {
        let beginning = state.withLock { state in
            state.visitors -= 1
            defer { if state.visitors == 0 { state.beginning = nil } }
            return state.visitors == 0 ? state.beginning : nil
        }
        beginning?.resume()
    }

    /// Returns when a pass begins its turns or is over.
    private func nextChange(after over: Pass?) async {
        await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                let isWorking = state.pass.map { $0.dispatcher !== over?.dispatcher } ?? false
                let hasChanged = !state.isBusy || isWorking
                if !hasChanged { state.whenReady.append(continuation) }
                return hasChanged
            }
            if hasChanged { continuation.resume() }
        }
    }

    /// Returns when nothing is transferring.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isBusy = state.withLock { state in
                if state.hasTurns { state.whenIdle.append(continuation) }
                return state.hasTurns
            }
            if !isBusy { continuation.resume() }
        }
    }

    /// Wakes whoever is in ``wait(_:)``, or comes there next.
    func wake(_ wake: Wake) {
        let idle = state.withLock { state in
            defer { state.idle = nil }
            let isWeaker = state.pendingWake != nil && wake == .session
            if state.idle == nil, state.pendingWake != .stop, !isWeaker { state.pendingWake = wake }
            return state.idle
        }
        idle?.resume(returning: wake)
    }

    /// Waits to be woken. What came during a pass counts, but for logins, which the pass has seen.
    func wait() async -> Wake {
        await withCheckedContinuation { continuation in
            let pendingWake: Wake? = state.withLock { state in
                if state.runStop != nil { return .stop }
                defer { state.pendingWake = nil }
                if state.pendingWake == nil { state.idle = continuation }
                return state.pendingWake
            }
            if let pendingWake { continuation.resume(returning: pendingWake) }
        }
    }
}
