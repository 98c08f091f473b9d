import Foundation
import NightSimulation
import Testing

@testable import LibrarySimulation

@Suite("Simulated nights of a library")
struct SimulatedLibraryTests {
    @Test("lose no file, download none twice, touch nobody's files, and leave no move behind")
    func nights() async {
        let given = ProcessInfo.processInfo.environment["COURSEFETCH_SEED"].flatMap { UInt64($0) }
        // Always the same weeks; `make soak` lives through many more.
        let first = given ?? 0
        let (failures, count) = await Simulation(LibraryWeek.self).live(first..<first + (given != nil ? 1 : 60))
        #expect(
            count == 0, "COURSEFETCH_SEED=\(failures.first?.week.seed ?? 0) \(failures.first.map { "\($0)" } ?? "")")
    }

    @Test(
        "weeks that were wrong stay right",
        arguments: [
            // A folder that can't be read, after a kill before the first of its files was collected.
            1076,
            // A move that was put off, of a video that is downloaded again.
            2158,
            // The same, of one that is no longer in its catalog, so that it isn't.
            1991,
        ] as [UInt64])
    func mended(seed: UInt64) async {
        let failure = await LibraryWeek(seed: seed).live(isTraced: false)
        #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test("a video that is downloaded again under another name leaves nothing behind, wherever the power fails")
    func renamedRetry() async {
        for call in 1...50 {
            let week = Self.renamedRetry([.init(night: 1, trouble: .powerLoss(call: call, share: 1))])
            let failure = await week.live(isTraced: false)
            #expect(failure == nil, "\(call): \(failure.map { "\($0)" } ?? "")")
        }
    }

    /// One video, which is given `retry` before its course is listed with another title for it.
    private static func renamedRetry(_ events: [LibraryWeek.Event]) -> LibraryWeek {
        var week = LibraryWeek(seed: 1)
        let none = [Int](repeating: 0, count: LibraryWeek.nights)
        let titles = none.indices.map { $0 == 0 ? 0 : 2 }
        let video = LibraryWeek.Video(
            id: "v0", nights: 0...LibraryWeek.nights, chapter: nil, priority: 0, titles: titles, shifts: none,
            versions: none)
        let arrivals = none.indices.map { $0 == 1 ? 18.0 : nil }
        week.courses = [
            .init(id: "c0", videos: [video], nights: 0...LibraryWeek.nights, titles: none, arrivals: arrivals)
        ]
        week.commands = [.init(night: 1, at: 4, what: .retry, videos: [[0, 0]])]
        week.events = events
        (week.jobs, week.prunes) = (1, false)
        return week
    }
}
