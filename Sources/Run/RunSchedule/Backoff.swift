import DownloadStore

/// The times to wait before another attempt.
package enum Backoff {
    /// The longest wait that a host or provider can cause: it is stored, so it outlives the run. Less than a day, as in
    /// ``nextRun(failedRuns:)``: a nightly job that starts a minute earlier than the night before would be too early
    /// each time.
    package static let longest = Duration.seconds(RowStatus.longestWait)

    /// The wait before the n-th attempt without progress (from 1): 1, 2, 4 … 64 s, reduced by a random half, and never
    /// less than the server's request, within ``longest``.
    ///
    /// `jitter` is from 0 to 1. It spreads the retries of downloads that failed together.
    package static func delay(attempt: Int, jitter: Double, atLeast: Duration? = nil) -> Duration {
        let full = Double(1 << min(max(attempt - 1, 0), 6))
        return max(.seconds(full * (1 - jitter / 2)), min(atLeast ?? .zero, longest))
    }

    /// The pause of a host after `failures` in a row (from 1): doubles from 1 s to 18 h, so that it soon exceeds the
    /// longest wait of the run for a host that stays away.
    package static func coolDown(failures: Int, jitter: Double, atLeast: Duration? = nil) -> Duration {
        let full = Double(1 << min(max(failures - 1, 0), 16))
        return max(.seconds(full * (1 - jitter / 2)), min(atLeast ?? .zero, longest))
    }

    /// The time until a download that failed in `failedRuns` runs in a row (from 1) is tried again.
    package static func nextRun(failedRuns: Int) -> Duration { .seconds(RowStatus.rest(failedRuns: failedRuns)) }
}
