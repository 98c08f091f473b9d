import DownloadStore

/// How long to wait before trying again.
package enum Backoff {
    /// The longest that anybody else's word makes us wait: it is stored, so it outlives the run. Less than a day, as in
    /// ``nextRun(failedRuns:)``: a nightly job that comes a minute earlier than the night before would be too early each time.
    package static let longest = Duration.seconds(RowStanding.longestWait)

    /// Before the n-th attempt without progress (from 1): 1, 2, 4 … 64 s, of which a random half is taken off, and never
    /// less than what the server asked for, within ``longest``.
    ///
    /// `jitter` is from 0 to 1. The jitter keeps the downloads that one failure has hit from coming back together.
    package static func delay(attempt: Int, jitter: Double, atLeast: Duration? = nil) -> Duration {
        let full = Double(1 << min(max(attempt - 1, 0), 6))
        return max(.seconds(full * (1 - jitter / 2)), min(atLeast ?? .zero, longest))
    }

    /// How long a host is left alone after `failures` in a row (from 1): doubles from 1 s to 18 h, so that
    /// a host that stays away soon lies beyond the longest wait of the run.
    package static func coolDown(failures: Int, jitter: Double, atLeast: Duration? = nil) -> Duration {
        let full = Double(1 << min(max(failures - 1, 0), 16))
        return max(.seconds(full * (1 - jitter / 2)), min(atLeast ?? .zero, longest))
    }

    /// When a download that failed in `failedRuns` runs in a row (from 1) is tried again: 1 h, 20 h, 44 h, 92 h, then
    /// 7 d less 4 h each. Never whole days: a nightly job would come a minute too early and skip a night.
    package static func nextRun(failedRuns: Int) -> Duration {
        let hours = [1, 20, 44, 92]
        return .seconds(3600 * (failedRuns <= hours.count ? hours[max(failedRuns, 1) - 1] : 7 * 24 - 4))
    }
}
