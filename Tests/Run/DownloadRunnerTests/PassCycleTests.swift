import Testing

@testable import DownloadRunner

@Suite("passes of a run and what lies between them")
struct PassCycleTests {
    typealias Event = PassCycle.Event
    typealias Action = PassCycle.Action
    typealias Phase = PassCycle.Phase

    /// Every phase of a run that watches.
    enum Place: CaseIterable {
        case new, opening, first, passing, ending, resting, reading, later, invalid, reopening, away, over

        var events: [Event] {
            switch self {
            case .new: []
            case .opening: [.started]
            case .first: Place.opening.events + [.libraryOpened]
            case .passing: Place.first.events + [.passBegun]
            case .ending: Place.passing.events + [.passDone]
            case .resting: Place.ending.events + [.passEnded(isStopped: false, isLoggedOut: false)]
            case .reading: Place.resting.events + [PassCycleTests.woken(.time)]
            case .later: Place.reading.events + [.catalogsRead(areValid: true)]
            case .invalid: Place.reading.events + [.catalogsRead(areValid: false)]
            case .reopening: Place.later.events + [.passBegun]
            case .away: Place.reopening.events + [.libraryRefused]
            case .over: Place.ending.events + [.passEnded(isStopped: true, isLoggedOut: false)]
            }
        }

        var cycle: PassCycle { PassCycleTests.cycle(events, isWatching: true) }
    }

    private static func cycle(_ events: [Event], isWatching: Bool) -> PassCycle {
        var cycle = PassCycle(isWatching: isWatching)
        for event in events { _ = cycle.handle(event) }
        return cycle
    }

    static func woken(
        _ wake: ControlRules.Wake, isSessionOpen: Bool? = true, isStopped: Bool = false, isLoggedOut: Bool = false
    ) -> Event {
        .woken(wake, isSessionOpen: isSessionOpen, isStopped: isStopped, isLoggedOut: isLoggedOut)
    }

    static func ended(isStopped: Bool = false, isLoggedOut: Bool = false) -> Event {
        .passEnded(isStopped: isStopped, isLoggedOut: isLoggedOut)
    }

    static let events: [Event] = [
        .started, .libraryOpened, .libraryRefused, .passBegun, .passDone, .catalogsRead(areValid: true),
        .catalogsRead(areValid: false), ended(), ended(isStopped: true), ended(isLoggedOut: true),
        ended(isStopped: true, isLoggedOut: true), woken(.time), woken(.stop, isSessionOpen: nil, isStopped: true),
        woken(.session), woken(.asked, isStopped: true, isLoggedOut: true),
    ]

    struct Cell {
        var place: Place
        var event: Event
        var actions: [Action]
        var phase: Phase

        init(_ place: Place, _ event: Event, _ actions: [Action], _ phase: Phase) {
            (self.place, self.event, self.actions, self.phase) = (place, event, actions, phase)
        }
    }

    /// A cell that isn't here changes nothing and has no actions.
    static let cells: [Cell] = [
        Cell(.new, .started, [.openLibrary(mayWait: true)], .opening),
        Cell(.opening, .libraryOpened, [.beginPass], .beginning(isFirst: true, areCatalogsValid: true)),
        Cell(.opening, .libraryRefused, [.end(isWorkLeft: false)], .over),
        Cell(.first, .passBegun, [.runPass(isFirst: true)], .passing),
        Cell(.passing, .passDone, [.closeLibrary, .endPass], .ending(isLibraryAway: false)),
        Cell(.ending, ended(), [.rest(warnsOfLogout: false, awaitsLibrary: false), .sleep], .resting),
        Cell(.ending, ended(isLoggedOut: true), [.rest(warnsOfLogout: true, awaitsLibrary: false), .sleep], .resting),
        Cell(.ending, ended(isStopped: true), [.end(isWorkLeft: false)], .over),
        Cell(.ending, ended(isStopped: true, isLoggedOut: true), [.end(isWorkLeft: true)], .over),
        Cell(.away, ended(), [.rest(warnsOfLogout: false, awaitsLibrary: true), .sleep], .resting),
        Cell(.away, ended(isLoggedOut: true), [.rest(warnsOfLogout: true, awaitsLibrary: true), .sleep], .resting),
        Cell(.away, ended(isStopped: true), [.end(isWorkLeft: false)], .over),
        Cell(.away, ended(isStopped: true, isLoggedOut: true), [.end(isWorkLeft: true)], .over),
        Cell(.resting, woken(.time), [.endRest, .readCatalogs], .reading),
        Cell(.resting, woken(.session), [.sleep], .resting),
        Cell(.resting, woken(.stop, isSessionOpen: nil, isStopped: true), [.endRest, .end(isWorkLeft: false)], .over),
        Cell(
            .resting, woken(.asked, isStopped: true, isLoggedOut: true), [.endRest, .end(isWorkLeft: true)], .over),
        Cell(
            .reading, .catalogsRead(areValid: true), [.beginPass], .beginning(isFirst: false, areCatalogsValid: true)),
        Cell(
            .reading, .catalogsRead(areValid: false), [.beginPass],
            .beginning(isFirst: false, areCatalogsValid: false)),
        Cell(.later, .passBegun, [.openLibrary(mayWait: false)], .reopening),
        Cell(.invalid, .passBegun, [.reportCatalogs, .closeLibrary, .endPass], .ending(isLibraryAway: false)),
        Cell(.reopening, .libraryOpened, [.runPass(isFirst: false)], .passing),
        Cell(
            .reopening, .libraryRefused, [.readSession, .closeLibrary, .endPass], .ending(isLibraryAway: true)),
    ]

    @Test("every event in every phase", arguments: Place.allCases, events)
    func phases(place: Place, event: Event) {
        var cycle = place.cycle
        let before = cycle.phase
        let cell = Self.cells.first { $0.place == place && $0.event == event }
        let actions = cycle.handle(event)
        #expect(actions == cell?.actions ?? [])
        #expect(cycle.phase == cell?.phase ?? before)
    }

    struct Waking: Sendable {
        var isSessionOpen: Bool?
        var isLoggedOut: Bool
        /// The wakes that end the rest.
        var ending: Set<ControlRules.Wake>
    }

    @Test(
        "a rest ends while the user is logged in; a login ends it only after a logout, an unreadable state always",
        arguments: [
            Waking(isSessionOpen: true, isLoggedOut: false, ending: [.time, .catalogs, .library, .asked]),
            Waking(isSessionOpen: true, isLoggedOut: true, ending: [.time, .catalogs, .library, .asked, .session]),
            Waking(isSessionOpen: false, isLoggedOut: false, ending: []),
            Waking(isSessionOpen: false, isLoggedOut: true, ending: []),
            Waking(isSessionOpen: nil, isLoggedOut: false, ending: [.time, .catalogs, .library, .asked, .session]),
            Waking(isSessionOpen: nil, isLoggedOut: true, ending: [.time, .catalogs, .library, .asked, .session]),
        ])
    func wakes(_ test: Waking) {
        for wake in ControlRules.Wake.allCases where wake != .stop {
            var cycle = Place.resting.cycle
            let actions = cycle.handle(
                .woken(wake, isSessionOpen: test.isSessionOpen, isStopped: false, isLoggedOut: test.isLoggedOut))
            #expect(actions == (test.ending.contains(wake) ? [.endRest, .readCatalogs] : [.sleep]), "\(wake)")
        }
    }

    @Test("a stop ends a rest whatever else is so", arguments: ControlRules.Wake.allCases, [true, false, nil])
    func stops(wake: ControlRules.Wake, isSessionOpen: Bool?) {
        var cycle = Place.resting.cycle
        let event = Self.woken(wake, isSessionOpen: isSessionOpen, isStopped: true)
        #expect(cycle.handle(event) == [.endRest, .end(isWorkLeft: false)])
    }

    @Test(
        "a run that doesn't watch ends after one pass, with its library open until then",
        arguments: [(false, false), (false, true), (true, false), (true, true)])
    func once(isStopped: Bool, isLoggedOut: Bool) {
        var cycle = PassCycle(isWatching: false)
        let events: [Event] = [
            .started, .libraryOpened, .passBegun, .passDone, .passEnded(isStopped: isStopped, isLoggedOut: isLoggedOut),
        ]
        #expect(
            events.flatMap { cycle.handle($0) } == [
                .openLibrary(mayWait: true), .beginPass, .runPass(isFirst: true), .endPass, .end(isWorkLeft: false),
            ])
        #expect(cycle.phase == .over)
    }

    @Test("a disk that is away for one night costs that night's pass, and is looked for until it is back")
    func awayForANight() {
        var cycle = Place.away.cycle
        let events: [Event] = [
            Self.ended(), Self.woken(.library), .catalogsRead(areValid: true), .passBegun, .libraryOpened, .passDone,
            Self.ended(),
        ]
        #expect(
            events.flatMap { cycle.handle($0) } == [
                .rest(warnsOfLogout: false, awaitsLibrary: true), .sleep, .endRest, .readCatalogs, .beginPass,
                .openLibrary(mayWait: false), .runPass(isFirst: false), .closeLibrary, .endPass,
                .rest(warnsOfLogout: false, awaitsLibrary: false), .sleep,
            ])
    }
}
