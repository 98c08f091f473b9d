import DownloadStore
import Foundation
import TestSupport
import Testing

@testable import DownloadRunner
@testable import SyncFacts

@Suite("requests and passes of one run")
struct RunControlTests {
    private let control = RunControl(SyncOptions(catalogs: []))

    private func session(_ generation: Int64, closed: Int64 = 0, isOpen: Bool = true) -> UserSession {
        UserSession(isOpen: isOpen, generation: generation, closedGeneration: closed, changedAt: .distantPast)
    }

    @Test("a pass begins when a request that changes rows is done, and the next request waits for the pass")
    func overlap() async {
        let order = Recorded<String>()
        let isAlone = await control.enter() == nil
        #expect(isAlone)
        async let pass: Void = {
            await control.beginPass()
            order.note("pass begins")
        }()
        // Whichever is first: the pass has said that it wants to, or it will.
        await Task.yield()
        order.note("request ends")
        control.leave()
        await pass
        async let second: Void = {
            _ = await control.enter()
            order.note("next request")
            control.leave()
        }()
        await Task.yield()
        order.note("pass ends")
        control.endPass()
        await second
        #expect(order.all == ["request ends", "pass begins", "pass ends", "next request"])
    }

    @Test("after a logout during a long comparison nothing is transferring, and the pass has no turns")
    func logoutBeforeTurns() async {
        await control.beginPass()
        control.goBy(session(1))
        control.interruptPass(.logout)
        await control.idle()
        #expect(control.passStop == .logout)
        control.endPass()
    }

    @Test("a logout that is known before the pass has read an older session still ends it")
    func logoutBetween() async {
        await control.beginPass()
        control.note(session(2, closed: 2, isOpen: false))
        control.goBy(session(1))
        #expect(control.passStop == .logout)
        control.endPass()
        await control.beginPass()
        control.goBy(session(3, closed: 2))
        #expect(control.passStop == nil)
        control.endPass()
    }
}
