import DownloadJobs
import DownloadStore
import SyncFacts
import Synchronization

/// The control of a run from outside: signals, limits, logouts, and requests of other terminals. Carries out what
/// ``ControlRules`` decides.
final class RunControl: Sendable {
    /// A running pass.
    struct Pass: Sendable {
        let dispatcher: Dispatcher
        let services: RunServices
    }

    /// What a waiting task gets.
    fileprivate enum Answer: Sendable {
        case proceed
        /// Rows may be changed, through this pass or by the task itself.
        case change(through: Pass?)
        case wake(ControlRules.Wake)
    }

    fileprivate typealias Effect = @Sendable () -> Void

    /// The rules, and what their numbers stand for.
    fileprivate struct State {
        var rules = ControlRules()
        /// While its downloads have their turns.
        var pass: Pass?
        var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]
        var endings: [Int: Effect] = [:]
        var lastNumber = 0
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
    var passStop: SuspendReason? { state.withLock { $0.rules.stopReason } }

    /// Whether a logout has ended this pass, or the time after it.
    var isLoggedOut: Bool { state.withLock { $0.rules.passStop == .logout } }

    /// The reason for ending the whole run.
    var runStop: SuspendReason? { state.withLock { $0.rules.runStop } }

    /// Suspends active downloads and ends the run.
    func stop(_ reason: SuspendReason) { send(.stop(reason)) }

    /// Suspends active downloads and ends the pass; a watching run continues later.
    func interruptPass(_ reason: SuspendReason) { send(.interrupt(reason)) }

    /// Calls `stop` when the pass has to end; at once, if that is so already.
    func onPassStop(_ stop: @escaping @Sendable () -> Void) {
        carryOut { state in
            state.lastNumber += 1
            state.endings[state.lastNumber] = stop
            return state.effects(of: .endsWithPass(state.lastNumber))
        }
    }

    /// Begins a pass. Returns when no other request changes rows, nor will before its first turn.
    func beginPass() async { _ = await wait { _, waiter in .beginPass(waiter) } }

    /// Clears the interruption of the previous pass; this one uses `session`, unless a later logout is known already.
    func goBy(_ session: UserSession) { send(.sessionRead(session)) }

    /// Notes a login or logout. A logout ends the pass, even if a login has followed it.
    func note(_ session: UserSession) { send(.sessionChanged(session)) }

    /// Begins the pass's turns. Returns the reason why they must not begin, if there is one.
    func begin(_ pass: Pass) -> SuspendReason? {
        var reason: SuspendReason?
        carryOut { state in
            state.pass = pass
            reason = state.rules.passStop
            return state.effects(of: .beginTurns)
        }
        return reason
    }

    /// All transfers have ended, and their data is durable. The pass still relies on its rows.
    func endTurns() { send(.endTurns) }

    /// Ends the pass, whether it has had turns or not: requests may change rows again.
    func endPass() { send(.endPass) }

    /// Waits until rows may be changed: through the pass whose downloads have their turns, or, if nil is returned, by
    /// the caller, until it calls ``leave()``.
    ///
    /// - Parameter over: a pass that turned out to be at its end.
    func enter(after over: Pass? = nil) async -> Pass? {
        let answer = await wait { state, waiter in
            .enter(waiter, isPassOver: over != nil && state.pass?.dispatcher === over?.dispatcher)
        }
        guard case .change(let pass) = answer else { return nil }
        return pass
    }

    /// Ends what ``enter(after:)`` without a pass began.
    func leave() { send(.leave) }

    /// Returns when all transfers have ended.
    func idle() async { _ = await wait { _, waiter in .awaitTransfers(waiter) } }

    /// Wakes the task in ``wait()``, or the next one that calls it.
    func wake(_ wake: ControlRules.Wake) { send(.wake(wake)) }

    /// Waits to be woken. Wakes during a pass count, except for logins, which the pass has seen.
    func wait() async -> ControlRules.Wake {
        guard case .wake(let wake) = await wait({ _, waiter in .sleep(waiter) }) else { return .stop }
        return wake
    }
}

extension RunControl {
    private func send(_ event: ControlRules.Event) { carryOut { $0.effects(of: event) } }

    /// Suspends the task until the rules let it go on.
    private func wait(_ event: (State, Int) -> ControlRules.Event) async -> Answer {
        await withCheckedContinuation { continuation in
            carryOut { state in
                state.lastNumber += 1
                state.waiting[state.lastNumber] = continuation
                return state.effects(of: event(state, state.lastNumber))
            }
        }
    }

    /// The effects come after the lock: they may call back.
    private func carryOut(_ change: (inout State) -> [Effect]) {
        let effects = state.withLock { change(&$0) }
        for effect in effects { effect() }
    }
}

extension RunControl.State {
    fileprivate mutating func effects(of event: ControlRules.Event) -> [RunControl.Effect] {
        var effects: [RunControl.Effect] = []
        for action in rules.handle(event) {
            if let effect = effect(of: action) { effects.append(effect) }
        }
        if !rules.hasTurns { pass = nil }
        return effects
    }

    private mutating func effect(of action: ControlRules.Action) -> RunControl.Effect? {
        switch action {
        case .proceed(let waiter): return resume(waiter, .proceed)
        case .admit(let waiter): return resume(waiter, .change(through: pass))
        case .admitOutsidePass(let waiter): return resume(waiter, .change(through: nil))
        case .rouse(let waiter, let wake): return resume(waiter, .wake(wake))
        case .suspend(let reason):
            guard let dispatcher = pass?.dispatcher else { return nil }
            return { Task { await dispatcher.stop(reason) } }
        case .stop(let ending): return endings.removeValue(forKey: ending)
        case .forget(let ending):
            endings[ending] = nil
            return nil
        }
    }

    private mutating func resume(_ waiter: Int, _ answer: RunControl.Answer) -> RunControl.Effect? {
        guard let continuation = waiting.removeValue(forKey: waiter) else { return nil }
        return { continuation.resume(returning: answer) }
    }
}
