import DownloadJobs
import DownloadStore
import Foundation
import SyncFacts
import Synchronization

/// The control of a run from outside: signals, limits, logouts, and requests of other terminals.
final class RunControl: Sendable {
    /// The event that wakes a watching run.
    enum Wake: Sendable, Equatable {
        case time, catalogs, library, asked, session, stop
    }

    /// A running pass.
    struct Pass: Sendable {
        var dispatcher: Dispatcher
        var services: RunServices
    }

    private struct State {
        var pass: Pass?
        /// From a pass's beginning to its end.
        var isBusy = false
        /// From the first turn of a pass until all of its transfers have ended.
        var hasTurns = false
        /// Requests that change rows while no pass does.
        var visitors = 0
        /// A pass that begins when they are done.
        var beginning: CheckedContinuation<Void, Never>?
        var runStop: SuspendReason?
        var passStop: SuspendReason?
        /// The generation of the last logout before this pass.
        var closedGeneration: Int64 = 0
        /// The newest known session.
        var session: UserSession?
        var idle: CheckedContinuation<Wake, Never>?
        var pendingWake: Wake?
        var whenIdle: [CheckedContinuation<Void, Never>] = []
        var whenReady: [CheckedContinuation<Void, Never>] = []
        /// What else ends with the pass.
        var whenStopped: [@Sendable () -> Void] = []
    }

    /// The settings that `set` changes.
    let adjustable: AdjustableLimits
    private let bounds = Mutex<RunLimits?>(nil)
    private let state = Mutex(State())

    init(_ options: SyncOptions) { adjustable = AdjustableLimits(options) }

    /// The run's limits, from its start on.
    var limits: RunLimits? {
        get { bounds.withLock { $0 } }
        set { bounds.withLock { $0 = newValue } }
    }

    /// The reason for ending the pass; nil if it shall go on.
    var passStop: SuspendReason? { state.withLock { $0.runStop ?? $0.passStop } }

    /// Whether a logout has ended this pass, or the time after it.
    var isLoggedOut: Bool { state.withLock { $0.passStop == .logout } }

    /// The reason for ending the whole run.
    var runStop: SuspendReason? { state.withLock { $0.runStop } }

    /// The pass whose downloads have their turns; nil before, after and between.
    var pass: Pass? { state.withLock { $0.pass } }

    /// Suspends active downloads and ends the run.
    func stop(_ reason: SuspendReason) { interrupt(reason, isForAll: true) }

    /// Suspends active downloads and ends the pass; a watching run continues later.
    func interruptPass(_ reason: SuspendReason) { interrupt(reason, isForAll: false) }

    private func interrupt(_ reason: SuspendReason, isForAll: Bool) {
        let (dispatcher, others) = state.withLock { state in
            if isForAll { state.runStop = state.runStop ?? reason }
            state.passStop = state.passStop ?? reason
            defer { state.whenStopped = [] }
            return (state.pass?.dispatcher, state.whenStopped)
        }
        for stop in others { stop() }
        if let dispatcher { Task { await dispatcher.stop(reason) } }
        if isForAll { wake(.stop) }
    }

    /// Calls `stop` when the pass has to end; at once, if that is so already.
    func onPassStop(_ stop: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if state.runStop ?? state.passStop == nil { state.whenStopped.append(stop) }
            return state.runStop ?? state.passStop != nil
        }
        if isStopped { stop() }
    }

    /// Begins a pass. Returns when no other request changes rows, nor will before its first turn.
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

    /// Clears the interruption of the previous pass; this one uses `session`, unless a later logout is known already.
    func goBy(_ session: UserSession) {
        let newest = state.withLock { state in
            state.passStop = state.runStop
            state.closedGeneration = session.closedGeneration
            return state.session.flatMap { $0.generation > session.generation ? $0 : nil } ?? session
        }
        note(newest)
    }

    /// Notes a login or logout. A logout ends the pass, even if a login has followed it.
    func note(_ session: UserSession) {
        let hasLoggedOut = state.withLock { state in
            if session.generation >= state.session?.generation ?? 0 { state.session = session }
            return !session.isOpen || session.closedGeneration > state.closedGeneration
        }
        if hasLoggedOut { interruptPass(.logout) }
    }

    /// Begins the pass's turns. Returns the reason why they must not begin, if there is one.
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

    /// All transfers have ended, and their data is durable. The pass still relies on its rows.
    func endTurns() {
        let waiting = state.withLock { state in
            state.pass = nil
            state.hasTurns = false
            defer { state.whenIdle = [] }
            return state.whenIdle
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends the pass, whether it has had turns or not: requests may change rows again.
    func endPass() {
        endTurns()
        let waiting = state.withLock { state in
            state.isBusy = false
            state.whenStopped = []
            defer { state.whenReady = [] }
            return state.whenReady
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until rows may be changed: through the pass whose downloads have their turns, or, if nil is returned, by
    /// the caller, until it calls ``leave()``.
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

    /// Returns when all transfers have ended.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isBusy = state.withLock { state in
                if state.hasTurns { state.whenIdle.append(continuation) }
                return state.hasTurns
            }
            if !isBusy { continuation.resume() }
        }
    }

    /// Wakes the task in ``wait(_:)``, or the next one that calls it.
    func wake(_ wake: Wake) {
        let idle = state.withLock { state in
            defer { state.idle = nil }
            let isWeaker = state.pendingWake != nil && wake == .session
            if state.idle == nil, state.pendingWake != .stop, !isWeaker { state.pendingWake = wake }
            return state.idle
        }
        idle?.resume(returning: wake)
    }

    /// Waits to be woken. Wakes during a pass count, except for logins, which the pass has seen.
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
