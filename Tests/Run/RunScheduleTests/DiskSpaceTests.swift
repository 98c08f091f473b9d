import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Free space that comes and goes")
struct DiskSpaceTests {
    private let megabyte: Int64 = 1 << 20

    private func stage(_ sizes: [Int64], jobs: Int = 1) -> Stage {
        Stage(
            sizes.indices.map { Stage.download(Int64($0) + 1, size: sizes[$0] * megabyte) }, jobs: jobs,
            freeSpace: FreeSpaceGuard(floor: 0))
    }

    private func measured(_ free: Int64, _ turns: [(Int64, size: Int64, written: Int64)] = []) -> Schedule.Event {
        .measured(
            free: free * megabyte,
            turns: turns.map {
                .init(id: .number($0.0), size: $0.size * megabyte, written: $0.written * megabyte)
            })
    }

    @Test("downloads suspended for space go on in the same run once there is some, without an error")
    func comesBack() {
        var stage = stage([500, 50])
        stage.tell(measured(100))
        stage.begin()
        #expect(stage.phase(1) == .settled(.suspended) && stage.phase(2)?.kind == .running)
        stage.now += 11
        stage.tell(measured(1000, [(2, 50, 10)]))
        #expect(stage.phase(1) == .settled(.suspended), "no slot is free")
        stage.now += 11
        let next = stage.tell(.turnEnded(.number(2), .complete))
        #expect(next.contains("record revive 1") && next.contains("emit waiting 1") && next.contains("start 1"))
        #expect(stage.schedule.tally.disk == nil)
    }

    @Test("its partial counts as space that it no longer needs, and it continues it")
    func keepsItsPartial() {
        var stage = stage([500, 500], jobs: 2)
        stage.begin()
        let tight = stage.tell(measured(300, [(1, 500, 250), (2, 500, 400)]))
        #expect(tight.contains("cancel 2") && !tight.contains("cancel 1"))
        #expect(!stage.tell(.turnEnded(.number(2), .stopped)).contains("dismiss 2"))
        stage.now += 11
        #expect(stage.tell(measured(355, [(1, 500, 250)])).allSatisfy { $0 != "start 2" }, "a little is left free")
        stage.now += 11
        #expect(stage.tell(measured(400, [(1, 500, 250)])).contains("start 2"))
    }

    @Test("several partials fill a disk: those that can be finished are, and the least important gives way")
    func fills() {
        var stage = stage([500, 500, 500], jobs: 3)
        stage.begin()
        let tight = stage.tell(measured(250, [(1, 500, 300), (2, 500, 300), (3, 500, 460)]))
        #expect(tight.filter { $0.hasPrefix("cancel") } == ["cancel 2"])
    }

    @Test("nothing begins again between two checks; each further suspension doubles the wait")
    func alternates() {
        var stage = stage([500, 10], jobs: 2)
        stage.begin()
        var starts = 0
        for second in 0..<3600 {
            stage.now += 1
            // It comes and goes within seconds.
            let free: Int64 = second % 7 < 4 ? 20 : 2000
            let running = stage.schedule.phases[turn: .number(1)] != nil
            starts += stage.tell(measured(free, running ? [(1, 500, 0), (2, 10, 0)] : [(2, 10, 0)]))
                .count { $0 == "start 1" }
            stage.tell(.claim(.number(1), host: "h"))
            if stage.schedule.phases[turn: .number(1)]?.ending == .noSpace {
                stage.tell(.turnEnded(.number(1), .stopped))
            }
        }
        #expect((2...10).contains(starts), "\(starts)")
    }

    @Test("the run checks for space while something else keeps it alive, and doesn't wait for it alone")
    func alive() {
        var stage = Stage(
            [Stage.download(1, size: 500 * megabyte), Stage.download(2, retryAt: Stage.start + 60)],
            freeSpace: FreeSpaceGuard(floor: 0))
        stage.tell(measured(100))
        #expect(stage.tell(.begin).last == "wake 10")
        stage.now += 10
        stage.tell(measured(1000))
        #expect(stage.phase(1)?.kind == .running)
        stage = Stage([Stage.download(1, size: 500 * megabyte)], freeSpace: FreeSpaceGuard(floor: 0))
        stage.tell(measured(100))
        #expect(stage.tell(.begin).last == "end")
        #expect(stage.schedule.tally.disk != nil)
    }

    @Test("below the floor a run that has nothing to write ends by itself; one that has ends with the reason")
    func belowTheFloor() {
        let floor = FreeSpaceGuard(floor: 100 * megabyte)
        var later = Stage.download(1, retryAt: Stage.start + 3600)
        for downloads in [[], [later]] {
            var stage = Stage(downloads, freeSpace: floor)
            stage.tell(measured(99))
            #expect(stage.tell(.begin).last == "end")
            #expect(stage.schedule.stopReason == nil && stage.schedule.tally.disk == nil)
        }
        later.retryAt = nil
        var stage = Stage([later], freeSpace: floor)
        stage.tell(measured(99))
        #expect(stage.tell(.begin).last == "end")
        #expect(stage.schedule.stopReason == .disk && stage.schedule.tally.disk == .noSpace(free: 99 * megabyte))
    }

    @Test("below the floor a provider is asked for sidecars, and what it names waits")
    func questionBelowTheFloor() {
        var question = Stage.download(1)
        question.purpose = .sidecars
        for named in [0, 1] {
            var stage = Stage([question], freeSpace: FreeSpaceGuard(floor: 100 * megabyte))
            stage.tell(measured(99))
            #expect(stage.tell(.begin).contains("ask 1"))
            stage.tell(measured(99))
            let items = (0..<named).map {
                SidecarQueue.Item(
                    number: $0 + 1, download: .number(1), host: "h",
                    row: .init(SidecarName(.subtitle, "en")))
            }
            stage.tell(.resolved(.number(1), items))
            let end = stage.tell(.turnEnded(.number(1), .answered))
            #expect(end.last == "end" && !end.contains { $0.hasPrefix("fetch") })
            #expect(stage.schedule.stopReason == (named > 0 ? .disk : nil))
            #expect(stage.schedule.tally.hasSidecarsLeft == (named > 0))
        }
    }
}
