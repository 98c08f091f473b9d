import DownloadStore
import Foundation
import SyncFacts

/// The measurements of the last run, for Prometheus. Names and labels may be added, never changed.
package struct RunMetrics: Sendable {
    private static let lastSuccess = "coursefetch_last_success_timestamp_seconds"

    package var report: RunReport
    /// As `2/8`; nil for all courses.
    package var shard: String?

    package init(_ report: RunReport, shard: String?) {
        self.report = report
        self.shard = shard
    }

    /// The text.
    ///
    /// - Parameter earlier: that of the run before, which knows the last success.
    package func text(after earlier: String) -> String {
        let summary = report.summary
        let status = ExitStatus(summary.conditions)
        var labels: MetricsText.Labels = []
        if let user = report.user { labels.append(("user", user)) }
        if let shard { labels.append(("shard", shard)) }
        var metrics = MetricsText(labels)
        let ended = Self.seconds(report.ended)
        let success = status.isSuccess ? ended : metrics.value(of: Self.lastSuccess, in: earlier)
        metrics.gauge("coursefetch_last_run_timestamp_seconds", "When the last sync ended.", ended)
        metrics.gauge(
            "coursefetch_last_run_duration_seconds", "How long the last sync took, waiting included.",
            Self.seconds(report.ended) - Self.seconds(report.started))
        metrics.gauge(
            "coursefetch_last_run_exit_code", "The exit code of the last sync.", Double(status.rawValue))
        metrics.gauge(Self.lastSuccess, "When a sync ended last with exit code 0 or 75.", success)
        metrics.gauge(
            "coursefetch_last_run_received_bytes", "Bytes that the last sync received.", Double(summary.bytes))
        // A run that couldn't begin knows nothing of them.
        let states = summary.downloads.isEmpty ? [] : DownloadState.allCases
        metrics.gauge(
            "coursefetch_videos", "Videos of the catalogs by state.",
            states.map { (labels: [("state", $0.rawValue)], value: Double(summary.downloads[$0] ?? 0)) })
        metrics.gauge(
            "coursefetch_last_run_failures", "Videos that failed in the last sync by host.",
            summary.failedAt.sorted { $0.key < $1.key }.map { (labels: [("host", $0.key)], value: Double($0.value)) })
        metrics.gauge(
            "coursefetch_library_bytes", "The size of all files of videos in the library.",
            summary.libraryBytes.map { Double($0) })
        return metrics.text
    }

    /// To the millisecond.
    private static func seconds(_ date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() / 1000 }
}
