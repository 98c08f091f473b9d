import DownloadStore
import Foundation

/// The instant of an event, and a random number.
struct Moment {
    var now: Date
    /// From 0 to 1.
    var jitter: Double

    /// The time at which a later run retries a download after this number of consecutive failed runs; nil for a
    /// permanent failure. `rest`: the pause that a host or provider asked for.
    func nextRun(failedRuns: Int, isFinal: Bool, rest: Duration?) -> Date? {
        let pause = rest.map { min($0, Backoff.longest) } ?? Backoff.nextRun(failedRuns: failedRuns)
        return isFinal ? nil : now.advanced(by: pause)
    }
}
