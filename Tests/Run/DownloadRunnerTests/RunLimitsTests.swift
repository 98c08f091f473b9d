import DownloadStore
import Foundation
import Logging
import MediaTransfer
import TestSupport
import Testing

@testable import DownloadJobs
@testable import SyncFacts

@Suite("The limits of a run", .timeLimit(.minutes(5)))
struct RunLimitsTests {
    private let clock = VirtualClock(BandwidthTimetableTests.date("2026-11-21T21:30:00Z"))

    private func options(_ change: (inout SyncOptions) -> Void) -> SyncOptions {
        var options = SyncOptions(catalogs: [])
        options.zone = BandwidthTimetableTests.berlin
        change(&options)
        return options
    }

    private func limits(
        _ options: SyncOptions, _ reasons: Recorded<SuspendReason> = Recorded()
    ) -> RunLimits {
        RunLimits(options, startedAt: clock.now, clock: clock, logger: Logger(label: "test")) { reasons.note($0) }
    }

    @Test("the window closes at its time, once, and not if the run ends before")
    func window() async {
        let reasons = Recorded<SuspendReason>()
        let options = options { $0.window = RunWindow(until: RunWindow.End("06:00")) }
        let limits = limits(options, reasons)
        limits.watchWindow()
        await clock.whenSomebodySleeps()
        #expect(clock.alarms == [BandwidthTimetableTests.date("2026-11-22T05:00:00Z")])
        await clock.advance(to: BandwidthTimetableTests.date("2026-11-22T04:59:59Z"))
        #expect(reasons.all == [])
        await clock.advance(by: .seconds(1))
        while reasons.all.isEmpty { await Task.yield() }
        await clock.advance(by: .seconds(86_400))
        #expect(reasons.all == [.window])

        let others = Recorded<SuspendReason>()
        let ended = self.limits(options, others)
        ended.watchWindow()
        await clock.whenSomebodySleeps()
        ended.end()
        await clock.whenAlarms { $0.isEmpty }
        await clock.advance(by: .seconds(86_400))
        #expect(others.all == [])
    }

    @Test("a window that is already closed says so at once")
    func closed() {
        let reasons = Recorded<SuspendReason>()
        limits(options { $0.window = RunWindow(maxDuration: .zero) }, reasons).watchWindow()
        #expect(reasons.all == [.window])
    }

    @Test("the bandwidth follows the timetable, and a new timetable as soon as it is set")
    func bandwidth() async throws {
        let rates = Recorded<Int64?>()
        let timetable = try #require(BandwidthTimetable("08:00,512K 23:00,off"))
        let limits = limits(options { $0.bandwidth = timetable })
        #expect(limits.rate == 524_288)
        limits.drive { rates.note($0) }
        #expect(rates.all == [524_288])
        await clock.whenSomebodySleeps()
        await clock.advance(to: BandwidthTimetableTests.date("2026-11-21T22:00:00Z"))
        while rates.all.count < 2 { await Task.yield() }
        #expect(rates.all == [524_288, nil])
        await clock.whenSomebodySleeps(until: BandwidthTimetableTests.date("2026-11-22T07:00:00Z"))
        limits.setBandwidth(BandwidthTimetable(rate: 1000))
        #expect(rates.all == [524_288, nil, 1000])
        await clock.whenAlarms { $0.isEmpty }
        await clock.advance(by: .seconds(7 * 86_400))
        #expect(rates.all == [524_288, nil, 1000])
        limits.end()
        limits.setBandwidth(.unlimited)
        #expect(rates.all.count == 3)
    }

    @Test("the quota exists only if it was requested")
    func quota() {
        #expect(limits(options { _ in }).quota == nil)
        #expect(limits(options { $0.maxTransfer = 5 }).quota?.limit == 5)
    }
}
