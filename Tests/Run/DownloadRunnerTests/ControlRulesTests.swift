import DownloadStore
import Foundation
import Testing

@testable import DownloadRunner

/// Numbers up to 9 are of the event in question, higher ones of events before it.
@Suite("rules of the control of a run")
struct ControlRulesTests {
    typealias Event = ControlRules.Event
    typealias Action = ControlRules.Action
    typealias Phase = ControlRules.Phase
    typealias Wake = ControlRules.Wake

    /// Every phase, with and without somebody who waits.
    enum Place: CaseIterable {
        case resting, visited, preparing, preparingAsked, awaiting, turns, turnsAsked, closing

        var events: [Event] {
            switch self {
            case .resting: []
            case .visited: [.enter(10, isPassOver: false), .enter(11, isPassOver: false)]
            case .preparing: [.beginPass(12)]
            case .preparingAsked: [.beginPass(12), .enter(13, isPassOver: false)]
            case .awaiting: [.enter(10, isPassOver: false), .beginPass(12)]
            case .turns: [.beginPass(12), .beginTurns]
            case .turnsAsked: [.beginPass(12), .beginTurns, .enter(13, isPassOver: true), .awaitTransfers(14)]
            case .closing: Place.turnsAsked.events + [.endTurns]
            }
        }

        var hasTurns: Bool { self == .turns || self == .turnsAsked }

        var rules: ControlRules {
            var rules = ControlRules()
            for event in events { _ = rules.handle(event) }
            return rules
        }
    }

    enum Step: CaseIterable {
        case beginPass, beginTurns, endTurns, endPass, enter, enterAgain, leave, awaitTransfers

        var event: Event {
            switch self {
            case .beginPass: .beginPass(1)
            case .beginTurns: .beginTurns
            case .endTurns: .endTurns
            case .endPass: .endPass
            case .enter: .enter(1, isPassOver: false)
            case .enterAgain: .enter(1, isPassOver: true)
            case .leave: .leave
            case .awaitTransfers: .awaitTransfers(1)
            }
        }
    }

    struct Cell {
        var place: Place
        var step: Step
        var actions: [Action]
        var phase: Phase

        init(_ place: Place, _ step: Step, _ actions: [Action], _ phase: Phase) {
            (self.place, self.step, self.actions, self.phase) = (place, step, actions, phase)
        }
    }

    /// A cell that isn't here changes nothing and has no actions.
    static let cells = [
        Cell(.resting, .beginPass, [.proceed(1)], .preparing(changing: 0, beginning: [])),
        Cell(.visited, .beginPass, [], .preparing(changing: 2, beginning: [1])),
        Cell(.preparing, .beginPass, [.proceed(1)], .preparing(changing: 0, beginning: [])),
        Cell(.preparingAsked, .beginPass, [.proceed(1)], .preparing(changing: 0, beginning: [])),
        Cell(.awaiting, .beginPass, [], .preparing(changing: 1, beginning: [12, 1])),
        Cell(.turns, .beginPass, [.proceed(1)], .turns(logouts: [])),
        Cell(.turnsAsked, .beginPass, [.proceed(1)], .turns(logouts: [14])),
        Cell(.closing, .beginPass, [.proceed(1)], .closing),

        Cell(.preparing, .beginTurns, [], .turns(logouts: [])),
        Cell(.preparingAsked, .beginTurns, [.admit(13)], .turns(logouts: [])),

        Cell(.turns, .endTurns, [], .closing),
        Cell(.turnsAsked, .endTurns, [.proceed(14)], .closing),

        Cell(.preparing, .endPass, [], .resting(changing: 0)),
        Cell(.preparingAsked, .endPass, [.admitOutsidePass(13)], .resting(changing: 1)),
        Cell(.awaiting, .endPass, [.proceed(12)], .resting(changing: 1)),
        Cell(.turns, .endPass, [], .resting(changing: 0)),
        Cell(.turnsAsked, .endPass, [.proceed(14), .admitOutsidePass(13)], .resting(changing: 1)),
        Cell(.closing, .endPass, [.admitOutsidePass(13)], .resting(changing: 1)),

        Cell(.resting, .enter, [.admitOutsidePass(1)], .resting(changing: 1)),
        Cell(.visited, .enter, [.admitOutsidePass(1)], .resting(changing: 3)),
        Cell(.turns, .enter, [.admit(1)], .turns(logouts: [])),
        Cell(.turnsAsked, .enter, [.admit(1)], .turns(logouts: [14])),
        Cell(.resting, .enterAgain, [.admitOutsidePass(1)], .resting(changing: 1)),
        Cell(.visited, .enterAgain, [.admitOutsidePass(1)], .resting(changing: 3)),

        Cell(.visited, .leave, [], .resting(changing: 1)),
        Cell(.awaiting, .leave, [.proceed(12)], .preparing(changing: 0, beginning: [])),

        Cell(.resting, .awaitTransfers, [.proceed(1)], .resting(changing: 0)),
        Cell(.visited, .awaitTransfers, [.proceed(1)], .resting(changing: 2)),
        Cell(.preparing, .awaitTransfers, [.proceed(1)], .preparing(changing: 0, beginning: [])),
        Cell(.preparingAsked, .awaitTransfers, [.proceed(1)], .preparing(changing: 0, beginning: [])),
        Cell(.awaiting, .awaitTransfers, [.proceed(1)], .preparing(changing: 1, beginning: [12])),
        Cell(.turns, .awaitTransfers, [], .turns(logouts: [1])),
        Cell(.turnsAsked, .awaitTransfers, [], .turns(logouts: [14, 1])),
        Cell(.closing, .awaitTransfers, [.proceed(1)], .closing),
    ]

    @Test("passes, requests and logouts in every phase", arguments: Place.allCases, Step.allCases)
    func phases(place: Place, step: Step) {
        var rules = place.rules
        let before = rules.phase
        let cell = Self.cells.first { $0.place == place && $0.step == step }
        let actions = rules.handle(step.event)
        #expect(actions == cell?.actions ?? [])
        #expect(rules.phase == cell?.phase ?? before)
    }

    @Test("a request that waits before the turns, or for the end of a pass, is admitted once, at the next chance")
    func waitingRequests() {
        for place in [Place.preparing, .turns, .closing] {
            var rules = place.rules
            #expect(rules.handle(.enter(1, isPassOver: true)).isEmpty)
            let asked =
                place == .closing ? [Action.admitOutsidePass(13), .admitOutsidePass(1)] : [.admitOutsidePass(1)]
            #expect(rules.handle(.endPass) == asked)
            #expect(rules.handle(.endPass).isEmpty)
            #expect(rules.phase == .resting(changing: asked.count))
        }
    }

    /// Every sequence of six events, also those that a run never has.
    @Test("after the end of a pass nobody waits, and nobody is ever answered twice")
    func everySequence() {
        var count = 0
        func follow(_ rules: ControlRules, _ waiting: Set<Int>, _ depth: Int) -> Bool {
            var end = rules
            if Self.answered(end.handle(.endPass)) != waiting { return false }
            guard depth < 6 else { return true }
            for step in Step.allCases {
                count += 1
                var (rules, waiting) = (rules, waiting)
                let event: Event
                switch step {
                case .beginPass: event = .beginPass(depth)
                case .enter: event = .enter(depth, isPassOver: false)
                case .enterAgain: event = .enter(depth, isPassOver: true)
                case .awaitTransfers: event = .awaitTransfers(depth)
                default: event = step.event
                }
                if [.beginPass, .enter, .enterAgain, .awaitTransfers].contains(step) { waiting.insert(depth) }
                for waiter in Self.answers(rules.handle(event)) where waiting.remove(waiter) == nil { return false }
                if !follow(rules, waiting, depth + 1) { return false }
            }
            return true
        }
        #expect(follow(ControlRules(), [], 0))
        #expect(count > 200_000)
    }

    private static func answers(_ actions: [Action]) -> [Int] {
        actions.compactMap { action in
            switch action {
            case .proceed(let waiter), .admit(let waiter), .admitOutsidePass(let waiter): waiter
            default: nil
            }
        }
    }

    private static func answered(_ actions: [Action]) -> Set<Int> { Set(answers(actions)) }

    // MARK: ends

    @Test("what ends with a pass is stopped once, turns are suspended at each reason", arguments: Place.allCases)
    func interruptions(place: Place) {
        let suspended: [Action] = place.hasTurns ? [.suspend(.logout)] : []
        var rules = place.rules
        #expect(rules.handle(.endsWithPass(1)).isEmpty && rules.handle(.endsWithPass(2)).isEmpty)
        #expect(rules.handle(.interrupt(.logout)) == [.stop(1), .stop(2)] + suspended)
        #expect(rules.handle(.interrupt(.logout)) == suspended)
        #expect(rules.handle(.endsWithPass(3)) == [.stop(3)], "it comes too late")
        #expect(rules.runStop == nil && rules.stopReason == .logout)
        #expect(rules.phase == place.rules.phase)
    }

    @Test("a stop ends the pass and the rest", arguments: Place.allCases)
    func stops(place: Place) {
        var rules = place.rules
        #expect(rules.handle(.endsWithPass(1)).isEmpty && rules.handle(.sleep(2)).isEmpty)
        let suspended: [Action] = place.hasTurns ? [.suspend(.signal)] : []
        #expect(rules.handle(.stop(.signal)) == [.stop(1)] + suspended + [.rouse(2, .stop)])
        #expect(rules.runStop == .signal)
        for waiter in 3...4 { #expect(rules.handle(.sleep(waiter)) == [.rouse(waiter, .stop)]) }
    }

    @Test("what hasn't been stopped is forgotten at the end of its pass", arguments: Place.allCases)
    func forgotten(place: Place) {
        var rules = place.rules
        _ = rules.handle(.endsWithPass(1))
        #expect(rules.handle(.endPass).contains(.forget(1)))
        #expect(!rules.handle(.interrupt(.window)).contains(.stop(1)))
    }

    struct Reasons: Sendable {
        var events: [Event]
        var run: SuspendReason?
        var pass: SuspendReason?
        var shown: SuspendReason?

        init(_ events: [Event], run: SuspendReason?, pass: SuspendReason?, shown: SuspendReason?) {
            (self.events, self.run, self.pass, self.shown) = (events, run, pass, shown)
        }
    }

    @Test(
        "the first reason counts, that of the run before that of the pass, and a new pass has only the run's",
        arguments: [
            Reasons([], run: nil, pass: nil, shown: nil),
            Reasons([.interrupt(.logout)], run: nil, pass: .logout, shown: .logout),
            Reasons([.interrupt(.quota), .interrupt(.logout)], run: nil, pass: .quota, shown: .quota),
            Reasons([.stop(.window), .stop(.signal)], run: .window, pass: .window, shown: .window),
            Reasons([.stop(.signal), .interrupt(.logout)], run: .signal, pass: .signal, shown: .signal),
            Reasons([.interrupt(.logout), .stop(.signal)], run: .signal, pass: .logout, shown: .signal),
            Reasons([.interrupt(.logout), .endPass], run: nil, pass: .logout, shown: .logout),
            Reasons([.interrupt(.logout), .sessionRead(session(1))], run: nil, pass: nil, shown: nil),
            Reasons(
                [.interrupt(.logout), .stop(.signal), .sessionRead(session(1))], run: .signal, pass: .signal,
                shown: .signal),
        ])
    func reasons(_ test: Reasons) {
        var rules = ControlRules()
        for event in test.events { _ = rules.handle(event) }
        #expect(rules.runStop == test.run && rules.passStop == test.pass && rules.stopReason == test.shown)
    }

    // MARK: sessions

    static func session(_ generation: Int64, closed: Int64 = 0, isOpen: Bool = true) -> UserSession {
        UserSession(isOpen: isOpen, generation: generation, closedGeneration: closed, changedAt: .distantPast)
    }

    @Test(
        "a logout ends the pass that was read before it, whatever follows",
        arguments: [
            ([.sessionRead(session(1))], false),
            ([.sessionRead(session(5, closed: 4))], false),
            ([.sessionRead(session(2, closed: 2, isOpen: false))], true),
            ([.sessionRead(session(1)), .sessionChanged(session(2))], false),
            ([.sessionRead(session(1)), .sessionChanged(session(2, closed: 2, isOpen: false))], true),
            ([.sessionRead(session(1)), .sessionChanged(session(3, closed: 2))], true),
            ([.sessionRead(session(3, closed: 2)), .sessionChanged(session(4, closed: 2))], false),
            ([.sessionRead(session(3, closed: 2)), .sessionChanged(session(2, closed: 2))], false),
            ([.sessionChanged(session(2, closed: 2, isOpen: false)), .sessionRead(session(1))], true),
            ([.sessionChanged(session(3, closed: 2)), .sessionRead(session(1))], true),
            (
                [.sessionChanged(session(3, closed: 2)), .sessionChanged(session(1)), .sessionRead(session(1))], true
            ),
            ([.sessionChanged(session(3, closed: 2)), .sessionRead(session(3, closed: 2))], false),
            ([.sessionChanged(session(2, closed: 2, isOpen: false)), .sessionRead(session(3, closed: 2))], false),
        ] as [([Event], Bool)])
    func sessions(events: [Event], isLoggedOut: Bool) {
        var rules = Place.preparing.rules
        for event in events { _ = rules.handle(event) }
        #expect(rules.passStop == (isLoggedOut ? .logout : nil))
    }

    @Test("a logout is noticed in every phase, and a login changes nothing", arguments: Place.allCases)
    func logouts(place: Place) {
        var rules = place.rules
        _ = rules.handle(.endsWithPass(1))
        #expect(rules.handle(.sessionChanged(Self.session(1))).isEmpty)
        let closed = Self.session(2, closed: 2, isOpen: false)
        #expect(rules.handle(.sessionChanged(closed)) == [.stop(1)] + (place.hasTurns ? [.suspend(.logout)] : []))
        #expect(rules.phase == place.rules.phase)
    }

    @Test("a pass that reads an older session than a known one is logged out at once", arguments: Place.allCases)
    func olderSession(place: Place) {
        var rules = place.rules
        _ = rules.handle(.sessionChanged(Self.session(3, closed: 2)))
        _ = rules.handle(.endsWithPass(1))
        _ = rules.handle(.sessionRead(Self.session(1)))
        #expect(rules.passStop == .logout)
        #expect(rules.phase == place.rules.phase)
    }

    // MARK: rests

    @Test("a wake rouses whoever sleeps, in every phase, and is over then", arguments: Place.allCases, Wake.allCases)
    func wakes(place: Place, wake: Wake) {
        var rules = place.rules
        #expect(rules.handle(.sleep(1)).isEmpty)
        #expect(rules.handle(.wake(wake)) == [.rouse(1, wake)])
        #expect(rules.handle(.sleep(2)).isEmpty)
        #expect(rules.phase == place.rules.phase)
    }

    /// What a wake (first line) makes of an earlier one (first column).
    static let wakes = """
                 time catalogs library asked session  stop
        time     time catalogs library asked time     stop
        catalogs time catalogs library asked catalogs stop
        library  time catalogs library asked library  stop
        asked    time catalogs library asked asked    stop
        session  time catalogs library asked session  stop
        stop     stop stop     stop    stop  stop     stop
        """

    @Test("of two wakes before a rest the last one counts, but for logins and stops", arguments: Wake.allCases)
    func earlierWakes(later: Wake) throws {
        let lines = Self.wakes.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let column = try #require(lines[0].firstIndex(of: "\(later)"))
        #expect(lines.count == Wake.allCases.count + 1)
        for (earlier, line) in zip(Wake.allCases, lines.dropFirst()) {
            var rules = ControlRules()
            #expect(rules.handle(.wake(earlier)).isEmpty && rules.handle(.wake(later)).isEmpty)
            let roused = rules.handle(.sleep(1)).map { "\($0)" }
            #expect(line[0] == "\(earlier)")
            #expect(roused == ["\(Action.rouse(1, try wake(line[column + 1])))"])
            #expect(rules.handle(.sleep(2)).isEmpty)
        }
    }

    private func wake(_ name: String) throws -> Wake {
        try #require(Wake.allCases.first { "\($0)" == name })
    }
}
