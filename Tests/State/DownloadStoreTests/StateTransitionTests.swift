import DownloadStore
import Testing

@Suite("The state table")
struct StateTransitionTests {
    /// docs/invariants.md, row by row: nil is “refused”.
    static let table: [(DownloadState, [StateTransition: DownloadState?])] = [
        (.waiting, [.pause: .paused, .resume: .waiting, .cancel: .cancelled, .retry: .waiting, .remove: .cancelled]),
        (.active, [.pause: .paused, .resume: .active, .cancel: .cancelled, .retry: nil, .remove: .cancelled]),
        (.paused, [.pause: .paused, .resume: .waiting, .cancel: .cancelled, .retry: .waiting, .remove: .cancelled]),
        (.suspended, [.pause: .paused, .resume: .waiting, .cancel: .cancelled, .retry: .waiting, .remove: .cancelled]),
        (.finished, [.pause: nil, .resume: nil, .cancel: nil, .retry: .waiting, .remove: .cancelled]),
        (.failed, [.pause: .paused, .resume: nil, .cancel: .cancelled, .retry: .waiting, .remove: .cancelled]),
        (.cancelled, [.pause: nil, .resume: nil, .cancel: .cancelled, .retry: .waiting, .remove: .cancelled]),
    ]

    @Test("the user's commands lead where the table says", arguments: table)
    func commands(state: DownloadState, row: [StateTransition: DownloadState?]) {
        for (transition, expected) in row { #expect(state.after(transition) == expected, "\(state) \(transition)") }
    }

    @Test("only a waiting download begins, only an active or waiting one ends")
    func engine() {
        #expect(DownloadState.sources(of: .begin) == [.waiting])
        #expect(DownloadState.sources(of: .finish) == [.waiting, .active])
        #expect(DownloadState.sources(of: .suspend) == [.waiting, .active])
        #expect(DownloadState.sources(of: .lose) == [.finished])
        #expect(DownloadState.paused.after(.revive) == nil)
        #expect(DownloadState.cancelled.after(.revive) == nil)
    }

    @Test(
        "a migration's transitions let a row be finished, or wait for the next sync",
        arguments: DownloadState.allCases)
    func migration(state: DownloadState) {
        guard state != .finished else {
            #expect(state.beforeAdoption == nil && state.beforeRequeueing == nil)
            return
        }
        let ready = state.beforeAdoption.map { state.after($0) } ?? state
        #expect(ready?.after(.finish) == .finished)
        let queued = state.beforeRequeueing.map { state.after($0) } ?? state
        #expect(queued?.isOpen == true && queued != .suspended)
    }

    @Test("a queued row is left as it is if a migration with the same wishes would queue it so")
    func queuedBefore() {
        let states = DownloadState.allCases
        #expect(states.filter { $0.isAsMigrated(requeues: true, pauses: false) } == [.waiting, .active, .suspended])
        #expect(states.filter { $0.isAsMigrated(requeues: true, pauses: true) } == [.paused])
        #expect(
            states.filter { $0.isAsMigrated(requeues: false, pauses: false) }
                == [.waiting, .active, .paused, .suspended])
    }
}
