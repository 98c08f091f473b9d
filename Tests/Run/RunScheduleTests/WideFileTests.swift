import DownloadStore
import Testing

@testable import RunSchedule

@Suite("more connections for one file")
struct WideFileTests {
    private static let one = DownloadID(rawValue: 1)

    private func grants(_ stage: inout Stage, _ event: Schedule.Event) -> Bool {
        stage.schedule.handle(event, now: stage.now, jitter: 0).contains {
            if case .grant(true) = $0 { true } else { false }
        }
    }

    @Test("it gets those that no slot uses, and no more than its host takes")
    func free() {
        var stage = Stage([Stage.download(1)], jobs: 6, host: 4)
        stage.begin()
        for _ in 0..<3 { #expect(grants(&stage, .widen(Self.one, host: "h"))) }
        #expect(!grants(&stage, .widen(Self.one, host: "h")), "the host takes four")
        #expect(grants(&stage, .keeps(Self.one)))
        stage.tell(.leave(Self.one, host: "h"))
        #expect(grants(&stage, .widen(Self.one, host: "h")))
        #expect(stage.schedule.queue.connections == ["h": 4])
    }

    @Test("none while all slots are in use; a download that comes takes a slot, and it gives one back")
    func givenBack() {
        var stage = Stage([Stage.download(1)], jobs: 2)
        stage.begin()
        #expect(grants(&stage, .widen(Self.one, host: "h")))
        #expect(!grants(&stage, .widen(Self.one, host: "h")), "that would be a third slot")
        stage.arrive([Stage.download(2)])
        #expect(grants(&stage, .claim(DownloadID(rawValue: 2), host: "h")), "it doesn't wait for that")
        #expect(!grants(&stage, .keeps(Self.one)))
        stage.tell(.leave(Self.one, host: "h"))
        #expect(grants(&stage, .keeps(Self.one)))
        #expect(!grants(&stage, .widen(Self.one, host: "h")))
    }

    @Test("one that waits for a connection to its host gets it")
    func awaited() {
        var stage = Stage([Stage.download(1)], jobs: 8, host: 2)
        stage.begin()
        #expect(grants(&stage, .widen(Self.one, host: "h")))
        stage.arrive([Stage.download(2)])
        let two = DownloadID(rawValue: 2)
        #expect(!grants(&stage, .claim(two, host: "h")))
        stage.tell(.turnEnded(two, .parked(host: "h")))
        #expect(!grants(&stage, .keeps(Self.one)))
        stage.tell(.leave(Self.one, host: "h"))
        #expect(stage.schedule.queue.connections == ["h": 1] || stage.schedule.phases[turn: two] != nil)
    }

    @Test("none once the run ends; the end of its turn returns all")
    func ended() {
        var stage = Stage([Stage.download(1)], jobs: 4)
        stage.begin()
        #expect(grants(&stage, .widen(Self.one, host: "h")))
        stage.tell(.stop(.signal))
        #expect(!grants(&stage, .keeps(Self.one)))
        #expect(!grants(&stage, .widen(Self.one, host: "h")))
        stage.tell(.turnEnded(Self.one, .stopped))
        #expect(stage.schedule.queue.connections.isEmpty)
    }
}
