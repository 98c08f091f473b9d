/// Decides when the passes of a run begin, what happens between two of them, and how the run ends; without doing any
/// I/O.
///
/// It takes events and returns actions. A run that doesn't watch makes one pass. One that watches rests after each
/// pass, until something wakes it while the user is logged in; then it reads the catalogs again. A pass that can't
/// begin, for want of valid catalogs or of the library, counts as one: its summary says why.
struct PassCycle: Sendable, Equatable {
    enum Event: Sendable, Equatable {
        /// The run begins, with valid catalogs.
        case started
        case libraryOpened
        case libraryRefused
        /// No other terminal's request changes rows: the pass may begin.
        case passBegun
        /// The pass has its summary.
        case passDone
        case passEnded(isStopped: Bool, isLoggedOut: Bool)
        /// `isSessionOpen` is nil if the state can't be read.
        case woken(ControlRules.Wake, isSessionOpen: Bool?, isStopped: Bool, isLoggedOut: Bool)
        case catalogsRead(areValid: Bool)
    }

    /// The actions after an event, in this order.
    enum Action: Sendable, Equatable {
        /// Open the library, and wait for another process that writes to it, if the user wants that and `mayWait`.
        case openLibrary(mayWait: Bool)
        case beginPass
        /// Make the pass. Only the first one is attended by the user.
        case runPass(isFirst: Bool)
        /// The catalogs' errors are the summary.
        case reportCatalogs
        /// A pass that isn't made goes by the session of its time, too: an earlier logout is over with it.
        case readSession
        case closeLibrary
        case endPass
        /// Report the rest, and wait for time and catalogs from now on; for the library, if it was refused.
        case rest(warnsOfLogout: Bool, awaitsLibrary: Bool)
        case sleep
        case endRest
        case readCatalogs
        /// Return the last summary.
        case end(isWorkLeft: Bool)
    }

    enum Phase: Sendable, Equatable {
        case new
        /// Before the first pass: another process may hold the library.
        case opening
        /// A pass waits for requests of other terminals, one of which may have the library open.
        case beginning(isFirst: Bool, areCatalogsValid: Bool)
        /// Somebody may have moved, unmounted or replaced the library since the last pass, or renamed a folder in it.
        case reopening
        case passing
        case ending(isLibraryAway: Bool)
        case resting
        case reading
        case over
    }

    let isWatching: Bool
    private(set) var phase = Phase.new

    init(isWatching: Bool) { self.isWatching = isWatching }

    /// An event that doesn't belong to the phase changes nothing.
    mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.new, .started):
            phase = .opening
            return [.openLibrary(mayWait: true)]
        case (.opening, .libraryOpened): return begin(isFirst: true)
        case (.opening, .libraryRefused): return end(isWorkLeft: false)
        case (.beginning(let isFirst, let areCatalogsValid), .passBegun):
            guard areCatalogsValid else { return [.reportCatalogs] + endPass() }
            phase = isFirst ? .passing : .reopening
            return [isFirst ? .runPass(isFirst: true) : .openLibrary(mayWait: false)]
        case (.reopening, .libraryOpened):
            phase = .passing
            return [.runPass(isFirst: false)]
        case (.reopening, .libraryRefused): return [.readSession] + endPass(isLibraryAway: true)
        case (.passing, .passDone): return endPass()
        case (.ending(let isLibraryAway), .passEnded(let isStopped, let isLoggedOut)):
            guard isWatching else { return end(isWorkLeft: false) }
            if isStopped { return end(isWorkLeft: isLoggedOut) }
            phase = .resting
            return [.rest(warnsOfLogout: isLoggedOut, awaitsLibrary: isLibraryAway), .sleep]
        case (.resting, .woken(let wake, let isSessionOpen, let isStopped, let isLoggedOut)):
            if isStopped || wake == .stop { return [.endRest] + end(isWorkLeft: isLoggedOut) }
            guard Self.ends(wake, isSessionOpen: isSessionOpen, isLoggedOut: isLoggedOut) else { return [.sleep] }
            phase = .reading
            return [.endRest, .readCatalogs]
        case (.reading, .catalogsRead(let areValid)): return begin(isFirst: false, areCatalogsValid: areValid)
        case (.new, _), (.opening, _), (.beginning, _), (.reopening, _), (.passing, _), (.ending, _), (.resting, _),
            (.reading, _), (.over, _):
            return []
        }
    }

    /// Whether a wake ends the rest. What happens while nobody is logged in is handled after the login.
    private static func ends(_ wake: ControlRules.Wake, isSessionOpen: Bool?, isLoggedOut: Bool) -> Bool {
        // The pass reports an unreadable state; it is read again after the next rest.
        guard let isSessionOpen else { return true }
        return isSessionOpen && (wake != .session || isLoggedOut)
    }

    private mutating func begin(isFirst: Bool, areCatalogsValid: Bool = true) -> [Action] {
        phase = .beginning(isFirst: isFirst, areCatalogsValid: areCatalogsValid)
        return [.beginPass]
    }

    /// The library of a run that watches is closed before a request may change rows: its disk may be unmounted, and
    /// others may write to it.
    private mutating func endPass(isLibraryAway: Bool = false) -> [Action] {
        phase = .ending(isLibraryAway: isLibraryAway)
        return isWatching ? [.closeLibrary, .endPass] : [.endPass]
    }

    private mutating func end(isWorkLeft: Bool) -> [Action] {
        phase = .over
        return [.end(isWorkLeft: isWorkLeft)]
    }
}
