import DownloadStore
import Foundation
import SyncFacts
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("The metrics of a run")
struct RunMetricsTests {
    private static let started = Date(timeIntervalSince1970: 1_795_215_600)

    private static func report(_ summary: SyncSummary, user: String? = "alice") -> RunReport {
        RunReport(
            user: user, catalogs: ["a.yaml"], started: started, ended: started.addingTimeInterval(60.5),
            summary: summary)
    }

    static let summary = {
        var summary = SyncSummary(
            downloads: [.finished: 7, .failed: 2], finishedNow: 1, failedNow: 2, bytes: 1 << 40, seconds: 60,
            conditions: [.downloadsFailed])
        summary.failedAt = ["https://b:443": 1, "https://a:443": 1]
        summary.libraryBytes = 5_000_000_000
        return summary
    }()

    @Test("each run gives its samples with help, type and the user's name")
    func text() {
        #expect(
            RunMetrics(Self.report(Self.summary), shard: nil).text(after: "") == """
                # HELP coursefetch_last_run_timestamp_seconds When the last sync ended.
                # TYPE coursefetch_last_run_timestamp_seconds gauge
                coursefetch_last_run_timestamp_seconds{user="alice"} 1795215660.5
                # HELP coursefetch_last_run_duration_seconds How long the last sync took, waiting included.
                # TYPE coursefetch_last_run_duration_seconds gauge
                coursefetch_last_run_duration_seconds{user="alice"} 60.5
                # HELP coursefetch_last_run_exit_code The exit code of the last sync.
                # TYPE coursefetch_last_run_exit_code gauge
                coursefetch_last_run_exit_code{user="alice"} 1
                # HELP coursefetch_last_run_received_bytes Bytes that the last sync received.
                # TYPE coursefetch_last_run_received_bytes gauge
                coursefetch_last_run_received_bytes{user="alice"} 1099511627776
                # HELP coursefetch_videos Videos of the catalogs by state.
                # TYPE coursefetch_videos gauge
                coursefetch_videos{user="alice",state="waiting"} 0
                coursefetch_videos{user="alice",state="active"} 0
                coursefetch_videos{user="alice",state="paused"} 0
                coursefetch_videos{user="alice",state="suspended"} 0
                coursefetch_videos{user="alice",state="finished"} 7
                coursefetch_videos{user="alice",state="failed"} 2
                coursefetch_videos{user="alice",state="cancelled"} 0
                # HELP coursefetch_last_run_failures Videos that failed in the last sync by host.
                # TYPE coursefetch_last_run_failures gauge
                coursefetch_last_run_failures{user="alice",host="https://a:443"} 1
                coursefetch_last_run_failures{user="alice",host="https://b:443"} 1
                # HELP coursefetch_library_bytes The size of all files of videos in the library.
                # TYPE coursefetch_library_bytes gauge
                coursefetch_library_bytes{user="alice"} 5000000000

                """)
    }

    @Test("the last success is kept from the file before, of the same user and shard, until the next one")
    func success() {
        func line(_ text: String) -> String? {
            text.split(separator: "\n").map(String.init).first { $0.hasPrefix("coursefetch_last_success_timestamp_") }
        }
        let good = RunMetrics(Self.report(SyncSummary(conditions: [.workLeft])), shard: "2/4").text(after: "")
        let expected = #"coursefetch_last_success_timestamp_seconds{user="alice",shard="2/4"} 1795215660.5"#
        #expect(line(good) == expected)
        #expect(line(RunMetrics(Self.report(Self.summary), shard: "2/4").text(after: good)) == expected)
        #expect(line(RunMetrics(Self.report(Self.summary), shard: "1/4").text(after: good)) == nil)
        #expect(line(RunMetrics(Self.report(Self.summary, user: "bob"), shard: "2/4").text(after: good)) == nil)
    }

    @Test("a run that couldn't begin says nothing of videos and the library")
    func refused() {
        let text = RunMetrics(Self.report(SyncSummary(.run(.badClockURL)), user: nil), shard: nil).text(after: "")
        #expect(text.contains("coursefetch_last_run_exit_code 64\n"))
        #expect(!text.contains("coursefetch_videos") && !text.contains("library"))
    }

    @Test("a label can have any text")
    func labels() {
        var text = MetricsText([("user", "a\"b\\c\nd")])
        text.gauge("x", "X.", 1.5)
        #expect(text.text == "# HELP x X.\n# TYPE x gauge\nx{user=\"a\\\"b\\\\c\\nd\"} 1.5\n")
    }

    @Test("promtool finds nothing wrong with it", .enabled(if: promtool != nil, "there is no promtool"))
    func lint() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("metrics-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = RunMetrics(Self.report(Self.summary), shard: "2/4").text(after: "")
        try Data(text.utf8).write(to: file)
        let ending = try await BuiltProgram.run(
            "/bin/sh", ["-c", "\(Self.promtool ?? "") check metrics < '\(file.path)'"], environment: [:], folder: "/")
        #expect(ending.code == 0 && ending.diagnostics.isEmpty, "\(ending)")
    }

    /// Of Debian's package prometheus.
    private static let promtool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }
}
