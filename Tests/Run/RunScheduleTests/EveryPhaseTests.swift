import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

/// Each event for a download in each phase. An event that isn't in the table changes nothing.
@Suite("Every event in every phase")
struct EveryPhaseTests {
    static let phases: [Phase.Kind] = Phase.Kind.allCases

    /// Events by name, about download 1.
    static let events: [(name: String, event: Schedule.Event)] = {
        let id = DownloadID.number(1)
        let error = Stage.error
        return [
            ("claim", .claim(id, host: "h")), ("enter", .enter(id, host: "h")), ("leave", .leave(id, host: "h")),
            ("resolved", .resolved(id, [])), ("flushFailed", .flushFailed(id)), ("wake", .wake),
            ("complete", .turnEnded(id, .complete)), ("parked", .turnEnded(id, .parked(host: "h"))),
            (
                "waits",
                .turnEnded(id, .waits(error, delay: .seconds(5), attempt: 1, failedHost: "h", began: Stage.start))
            ),
            ("providerWaits", .turnEnded(id, .providerWaits(error, delay: .seconds(5)))),
            ("unavailable", .turnEnded(id, .unavailable(error, retryAfter: nil))),
            ("refused", .turnEnded(id, .failed(Stage.refused, isFinal: false))), ("receives", .receives(id)),
            ("loginNeeded", .turnEnded(id, .loginNeeded(error))),
            ("notReady", .turnEnded(id, .notReady(error, retryAfter: nil))),
            ("notReadySoon", .turnEnded(id, .notReady(error, retryAfter: .seconds(9)))),
            ("differs", .turnEnded(id, .differs(Donor(file: Stage.file, video: "v")))),
            ("failed", .turnEnded(id, .failed(error, isFinal: false))),
            ("suspended", .turnEnded(id, .suspended(.disk, error))), ("stopped", .turnEnded(id, .stopped)),
            ("hashed", .hashed(id, .right)), ("wrong", .hashed(id, .wrong)),
            ("unreadable", .hashed(id, .unreadable(error))), ("restarted", .restarted(id, nil)),
            ("restartFailed", .restarted(id, error)), ("dropped", .partialDropped(id, losses: 1)),
            ("droppedOften", .partialDropped(id, losses: 3)),
            ("placed", .placed(id, Stage.file, request: nil, isWhole: true)),
            ("lost", .notPlaced(id, .lost(error))), ("noPlace", .notPlaced(id, .failed(error))),
            ("fullDisk", .notPlaced(id, .suspended(.disk, error))), ("noStore", .notPlaced(id, .store)),
            ("answered", .turnEnded(id, .answered)), ("unasked", .unasked(id)), ("stop", .stop(.signal)),
        ]
    }()

    /// What follows; a kind of phase, or a state for one that is settled.
    static let changes: [Phase.Kind: [String: String]] = [
        .running: [
            "complete": "digesting", "parked": "queued", "waits": "queued", "providerWaits": "queued",
            "unavailable": "queued", "refused": "failed",
            "loginNeeded": "suspended", "notReady": "waiting", "notReadySoon": "queued", "differs": "queued",
            "failed": "failed", "suspended": "suspended", "stopped": "suspended", "answered": "finished",
        ],
        .digesting: ["hashed": "placing", "wrong": "emptying", "unreadable": "emptying", "stop": "suspended"],
        .placing: [
            "placed": "finished", "lost": "emptying", "noPlace": "failed", "fullDisk": "suspended",
            "noStore": "waiting",
        ],
        .emptying: ["dropped": "queued", "droppedOften": "failed"],
    ]

    /// Download 2 is busy with the only slot, so that 1 stays where it is; in the phases of a turn it is the other way round.
    static func stage(_ kind: Phase.Kind) -> Stage {
        let id = DownloadID.number(1)
        let isFirst = [.running, .digesting, .placing, .emptying, .settled].contains(kind)
        let downloads = [
            Stage.download(1, priority: isFirst ? 1 : 0), Stage.download(2, provider: "q", priority: isFirst ? 0 : 1),
        ]
        var stage = Stage(downloads, following: kind == .following ? [(1, 2)] : [], concurrency: 0)
        // Nobody is asked but for the download that has the slot.
        stage.schedule.limits.concurrency = { $0 == (isFirst ? "p" : "q") ? 1 : 0 }
        stage.begin()
        if kind == .held {
            // A command before it takes its time.
            stage.tell(.command(1, .steer(.pause, [.number(1), .number(2)])))
        }
        guard isFirst, kind != .running else { return stage }
        stage.tell(.turnEnded(id, kind == .settled ? .failed(Stage.error, isFinal: true) : .complete))
        if kind == .placing { stage.tell(.hashed(id, .right)) }
        if kind == .emptying { stage.tell(.hashed(id, .unreadable(Stage.error))) }
        return stage
    }

    @Test("leads where the table says, or leaves the download alone", arguments: phases)
    func table(kind: Phase.Kind) {
        #expect(Self.name(Self.stage(kind).phase(1)) == (kind == .settled ? "failed" : "\(kind)"))
        for (name, event) in Self.events {
            var stage = Self.stage(kind)
            // Nobody else takes the slot or gives it away meanwhile.
            stage.schedule.limits.jobs = 0
            stage.schedule.limits.concurrency = { _ in 0 }
            stage.tell(event)
            let before = kind == .settled ? "failed" : "\(kind)"
            #expect(Self.name(stage.phase(1)) == Self.changes[kind]?[name] ?? before, "\(kind), \(name)")
            #expect(stage.schedule.queue.connections.values.allSatisfy { $0 > 0 }, "\(kind), \(name)")
        }
    }

    /// A finished video whose provider is asked what comes along: whatever happens, its row stays as it is.
    @Test("a request about a finished video leaves it finished, or goes on waiting, and doesn't change the video's row")
    func questions() {
        let waits: Set = ["parked", "waits", "providerWaits", "unavailable", "notReadySoon", "differs"]
        let ends: Set = [
            "loginNeeded", "notReady", "failed", "refused", "suspended", "stopped", "answered",
        ]
        for (name, event) in Self.events where !["complete", "differs", "parked"].contains(name) {
            var download = Stage.download(1)
            download.purpose = .sidecars
            var stage = Stage([download])
            #expect(stage.tell(.begin) == ["ask 1"])
            stage.schedule.limits.jobs = 0
            stage.schedule.limits.concurrency = { _ in 0 }
            let said = stage.tell(event)
            let expected = waits.contains(name) ? "queued" : ends.contains(name) ? "finished" : "running"
            #expect(Self.name(stage.phase(1)) == expected, "\(name)")
            #expect(stage.schedule.states[.number(1)] == .finished, "\(name)")
            let changes = said.filter { $0.hasPrefix("record") }
            #expect(changes.allSatisfy { $0.contains("unanswered") }, "\(name): \(changes)")
        }
    }

    @Test("a restart after a wrong checksum goes on, or is a failure")
    func restart() {
        for (event, expected) in [
            (Schedule.Event.restarted(.number(1), nil), "queued"), (.restarted(.number(1), Stage.error), "failed"),
            (.partialDropped(.number(1), losses: 1), "emptying"),
        ] {
            var stage = Self.stage(.digesting)
            stage.tell(.hashed(.number(1), .wrong))
            stage.schedule.limits.jobs = 0
            stage.schedule.limits.concurrency = { _ in 0 }
            stage.tell(event)
            #expect(Self.name(stage.phase(1)) == expected)
        }
    }

    static func name(_ phase: Phase?) -> String {
        switch phase {
        case .settled(let state): "\(state)"
        case let phase?: "\(phase.kind)"
        case nil: "nil"
        }
    }
}
