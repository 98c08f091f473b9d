import DownloadStore

/// Decides what ends the passes of a run, when requests of other terminals may change rows, and what wakes a run that
/// rests; without doing any I/O.
///
/// It takes events and returns actions. Whoever waits is a number chosen by the caller, and so is whatever ends with a
/// pass: something that must be stopped with it.
///
/// The rules:
/// - Before its first turn and after its last one a pass relies on rows that nobody else may change: requests wait.
///   During the turns the pass changes rows for them, and between passes they change rows themselves.
/// - A pass waits for those changes before it begins, and none begins while it waits.
/// - A logout waits for transfers only. It ends the pass in which it happens, even if a login has followed it.
/// - A run that was stopped stays so; an interrupted pass ends, and the next one begins without that.
/// - Wakes during a pass count, except for logins, which the pass has seen.
struct ControlRules: Sendable, Equatable {
    /// The event that wakes a watching run.
    enum Wake: Sendable, Equatable, CaseIterable {
        case time, catalogs, library, asked, session, stop
    }

    enum Event: Sendable {
        /// The run has to end.
        case stop(SuspendReason)
        /// The pass has to end; a watching run continues later.
        case interrupt(SuspendReason)
        /// Something has to be stopped with the pass.
        case endsWithPass(Int)
        /// A pass wants to begin. One at a time: the previous one has ended.
        case beginPass(Int)
        /// The pass goes by this session.
        case sessionRead(UserSession)
        /// Somebody has logged in or out.
        case sessionChanged(UserSession)
        case beginTurns
        /// All transfers have ended, and their data is durable.
        case endTurns
        case endPass
        /// A request wants to change rows. `isPassOver`: the pass that has its turns wouldn't do it any more.
        case enter(Int, isPassOver: Bool)
        /// A request that changed rows itself is done.
        case leave
        /// Somebody waits for all transfers to end.
        case awaitTransfers(Int)
        case wake(Wake)
        /// Somebody waits for a wake.
        case sleep(Int)
    }

    /// The actions after an event, in this order.
    enum Action: Sendable, Equatable {
        /// What it has waited for has come.
        case proceed(Int)
        /// Its request goes through the pass that has its turns.
        case admit(Int)
        /// It may change rows itself, until ``Event/leave``.
        case admitOutsidePass(Int)
        case rouse(Int, Wake)
        /// Suspend the active downloads of the pass.
        case suspend(SuspendReason)
        /// Stop what ends with the pass.
        case stop(Int)
        /// The pass has ended without it.
        case forget(Int)
    }

    enum Phase: Sendable, Equatable {
        /// Between passes, with the number of requests that are changing rows.
        case resting(changing: Int)
        /// From a pass's wish to begin to its first turn; `beginning` waits until none is changing rows.
        case preparing(changing: Int, beginning: [Int])
        /// From the first turn until all transfers have ended; `logouts` wait for that.
        case turns(logouts: [Int])
        /// From then to the end of the pass.
        case closing
    }

    /// Whether somebody waits for a wake, or a wake for somebody.
    private enum Sleep: Equatable {
        case awake
        case asleep([Int])
        case called(Wake)
    }

    private(set) var phase = Phase.resting(changing: 0)
    /// The reason for ending the whole run.
    private(set) var runStop: SuspendReason?
    /// The first reason for ending this pass.
    private(set) var passStop: SuspendReason?
    /// The generation of the last logout before this pass.
    private var closedGeneration: Int64 = 0
    /// The newest known session.
    private var session: UserSession?
    /// Requests that wait until rows may be changed.
    private var requests: [Int] = []
    /// What ends with the pass.
    private var endings: [Int] = []
    private var rest = Sleep.awake

    /// The reason for ending the pass; nil if it shall go on.
    var stopReason: SuspendReason? { runStop ?? passStop }

    var hasTurns: Bool { if case .turns = phase { true } else { false } }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .stop(let reason):
            runStop = runStop ?? reason
            return interrupt(reason) + wake(.stop)
        case .interrupt(let reason): return interrupt(reason)
        case .endsWithPass(let ending):
            if stopReason != nil { return [.stop(ending)] }
            endings.append(ending)
            return []
        case .beginPass(let waiter): return beginPass(waiter)
        case .sessionRead(let session): return begin(with: session)
        case .sessionChanged(let session): return note(session)
        case .beginTurns: return beginTurns()
        case .endTurns: return endTurns()
        case .endPass: return endPass()
        case .enter(let request, let isPassOver): return enter(request, isPassOver: isPassOver)
        case .leave: return leave()
        case .awaitTransfers(let waiter):
            guard case .turns(let logouts) = phase else { return [.proceed(waiter)] }
            phase = .turns(logouts: logouts + [waiter])
            return []
        case .wake(let wake): return self.wake(wake)
        case .sleep(let waiter): return sleep(waiter)
        }
    }
}

/// Ends and sessions.
extension ControlRules {
    private mutating func interrupt(_ reason: SuspendReason) -> [Action] {
        passStop = passStop ?? reason
        defer { endings = [] }
        return endings.map { .stop($0) } + (hasTurns ? [.suspend(reason)] : [])
    }

    /// Clears the interruption of the previous pass. A later logout may be known already.
    private mutating func begin(with read: UserSession) -> [Action] {
        passStop = runStop
        closedGeneration = read.closedGeneration
        let newest = session.flatMap { $0.generation > read.generation ? $0 : nil } ?? read
        return note(newest)
    }

    private mutating func note(_ news: UserSession) -> [Action] {
        if news.generation >= session?.generation ?? 0 { session = news }
        let hasLoggedOut = !news.isOpen || news.closedGeneration > closedGeneration
        return hasLoggedOut ? interrupt(.logout) : []
    }
}

/// Passes and requests.
extension ControlRules {
    private mutating func beginPass(_ waiter: Int) -> [Action] {
        switch phase {
        case .resting(let changing) where changing > 0: phase = .preparing(changing: changing, beginning: [waiter])
        case .preparing(let changing, let beginning) where changing > 0:
            phase = .preparing(changing: changing, beginning: beginning + [waiter])
        case .resting:
            phase = .preparing(changing: 0, beginning: [])
            return [.proceed(waiter)]
        case .preparing, .turns, .closing: return [.proceed(waiter)]
        }
        return []
    }

    private mutating func beginTurns() -> [Action] {
        guard phase == .preparing(changing: 0, beginning: []) else { return [] }
        phase = .turns(logouts: [])
        defer { requests = [] }
        return requests.map { .admit($0) }
    }

    private mutating func endTurns() -> [Action] {
        guard case .turns(let logouts) = phase else { return [] }
        phase = .closing
        return logouts.map { .proceed($0) }
    }

    /// A pass may end without turns.
    private mutating func endPass() -> [Action] {
        var actions = endTurns()
        var changing = requests.count
        switch phase {
        case .resting(let remaining): changing += remaining
        case .preparing(let remaining, let beginning):
            changing += remaining
            actions += beginning.map { .proceed($0) }
        case .turns, .closing: break
        }
        phase = .resting(changing: changing)
        actions += requests.map { .admitOutsidePass($0) } + endings.map { .forget($0) }
        requests = []
        endings = []
        return actions
    }

    private mutating func enter(_ request: Int, isPassOver: Bool) -> [Action] {
        switch phase {
        case .resting(let changing):
            phase = .resting(changing: changing + 1)
            return [.admitOutsidePass(request)]
        case .turns where !isPassOver: return [.admit(request)]
        case .preparing, .turns, .closing:
            requests.append(request)
            return []
        }
    }

    private mutating func leave() -> [Action] {
        switch phase {
        case .resting(let changing) where changing > 0: phase = .resting(changing: changing - 1)
        case .preparing(1, let beginning):
            phase = .preparing(changing: 0, beginning: [])
            return beginning.map { .proceed($0) }
        case .preparing(let changing, let beginning) where changing > 1:
            phase = .preparing(changing: changing - 1, beginning: beginning)
        case .resting, .preparing, .turns, .closing: break
        }
        return []
    }
}

/// Rests.
extension ControlRules {
    private mutating func wake(_ wake: Wake) -> [Action] {
        switch rest {
        case .asleep(let waiters):
            rest = .awake
            return waiters.map { .rouse($0, wake) }
        // The last one counts; but a stop is a stop, and a login is no news to the pass.
        case .called(let earlier) where earlier == .stop || wake == .session: break
        case .awake, .called: rest = .called(wake)
        }
        return []
    }

    private mutating func sleep(_ waiter: Int) -> [Action] {
        guard runStop == nil else { return [.rouse(waiter, .stop)] }
        switch rest {
        case .called(let wake):
            rest = .awake
            return [.rouse(waiter, wake)]
        case .asleep(let waiters): rest = .asleep(waiters + [waiter])
        case .awake: rest = .asleep([waiter])
        }
        return []
    }
}
