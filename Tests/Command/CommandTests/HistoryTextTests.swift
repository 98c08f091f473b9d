import DownloadStore
import Foundation
import Operations
import SyncFacts
import Testing

@testable import CommandOutput

@Suite("The output of history")
struct HistoryTextTests {
    static let start = Date(timeIntervalSince1970: 1_795_215_600)

    static func run(_ day: Int, ending: PastRun.Ending = .ended, _ fill: (inout RunEnd) -> Void = { _ in }) -> PastRun {
        let begin = start.addingTimeInterval(Double(day) * 86400)
        var end = RunEnd()
        fill(&end)
        let record = RunRecord(
            id: Int64(day), startedAt: begin, endedAt: ending == .ended ? begin.addingTimeInterval(130) : nil,
            catalogs: ["a.yaml"], added: ending == .ended ? 1200 : nil,
            libraryBytes: ending == .ended ? 3_000_000_000 : nil, end: ending == .ended ? end : nil)
        return PastRun(record: record, ending: ending)
    }

    static var runs: [PastRun] {
        [
            run(0) { $0.finished = 12 },
            run(1) {
                $0.failed = 3
                $0.moved = 2
                $0.bytes = 5000
                $0.conditions = ["downloads_failed", "work_left"]
                $0.stop = .window
                $0.failedAt = ["https://media.example.org": 1, "moodle": 2]
            },
            run(2) {
                $0.conditions = ["state_unusable"]
                $0.message = "the library isn't there\nmore"
            },
            run(3) { $0.conditions = nil },
            run(4, ending: .killed), run(5, ending: .running),
        ]
    }

    @Test("a line for each run, with its result, and where videos failed")
    func text() {
        let now = Self.start.addingTimeInterval(5 * 86400 + 60)
        #expect(
            HistoryText(now: now, zone: .gmt).lines(Self.runs) == [
                "started            took    new  finished  failed  received   library  result",
                "2026-11-20 23:00  2m10s  1,200        12       0       0 B  2.79 GiB  ok",
                "2026-11-21 23:00  2m10s  1,200         0       3  4.88 KiB  2.79 GiB  75: stopped at the end of the time window",
                "                  2 moved",
                "                  failed at: moodle 2, media.example.org 1",
                "2026-11-22 23:00  2m10s  1,200         0       0       0 B  2.79 GiB  73: the library or the state can't be used (full, missing, damaged, newer)",
                "                  the library isn't there",
                "2026-11-23 23:00  2m10s  1,200         0       0       0 B  2.79 GiB  problems",
                "2026-11-24 23:00                                                      killed",
                "2026-11-25 23:00  1m00s                                               running",
            ])
        #expect(HistoryText(now: now, zone: .gmt).lines([]) == ["no sync has run yet"])
    }

    @Test("a line of the JSON says what isn't known")
    func json() {
        let lines = Self.runs.map { String(decoding: HistoryText.json($0), as: UTF8.self) }
        #expect(
            lines[1]
                == #"{"run":1,"shard":null,"started":"2026-11-21T23:00:00Z","ended":"2026-11-21T23:02:10Z","ending":"ended","exit":75,"stop_reason":"window","new_now":1200,"finished_now":0,"failed_now":3,"moved_now":2,"removed_now":0,"bytes":5000,"library_bytes":3000000000,"failures_by_host":[{"host":"moodle","failed":2},{"host":"https://media.example.org","failed":1}],"message":null,"catalogs":["a.yaml"]}"#
                + "\n")
        #expect(lines[3].contains(#""exit":null,"stop_reason":null"#))
        #expect(lines[4].contains(#""ended":null,"ending":"killed","exit":null"#))
    }
}
