import CommandOutput
import DownloadStore
import Foundation
import Operations
import PageViews

/// The state of the library for Prometheus, with the names that `sync --metrics-file` has.
enum PageMetrics {
    static func text(_ facts: LiveFacts, user: String) -> String {
        var metrics = MetricsText([("user", user)])
        metrics.gauge("coursefetch_syncing", "Whether a sync runs now.", facts.isSyncing ? 1 : 0)
        metrics.gauge("coursefetch_download_bytes_per_second", "Of all transfers, over the last seconds.", facts.rate)
        metrics.gauge(
            "coursefetch_videos", "Videos of the catalogs by state.",
            DownloadState.allCases.map { ([("state", $0.rawValue)], Double(facts.states[$0] ?? 0)) })
        guard let run = facts.lastRun else { return metrics.text }
        let end = run.record.end
        metrics.gauge(
            "coursefetch_last_run_timestamp_seconds", "When the last sync ended.",
            run.record.endedAt?.timeIntervalSince1970)
        metrics.gauge(
            "coursefetch_last_run_duration_seconds", "How long the last sync took, waiting included.",
            run.record.endedAt?.timeIntervalSince(run.record.startedAt))
        metrics.gauge(
            "coursefetch_last_run_exit_code", "The exit code of the last sync.",
            run.conditions.map { Double(ExitStatus($0).rawValue) })
        metrics.gauge(
            "coursefetch_last_run_received_bytes", "Bytes that the last sync received.", end.map { Double($0.bytes) })
        metrics.gauge(
            "coursefetch_last_run_failures", "Videos that failed in the last sync by host.",
            (end?.failedAt ?? [:]).sorted { $0.key < $1.key }.map { ([("host", $0.key)], Double($0.value)) })
        metrics.gauge(
            "coursefetch_library_bytes", "The size of all files of videos in the library.",
            run.record.libraryBytes.map { Double($0) })
        return metrics.text
    }
}
