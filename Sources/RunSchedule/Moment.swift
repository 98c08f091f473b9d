import DownloadStore
import Foundation

/// The instant of an event, and chance.
struct Moment {
    var now: Date
    /// From 0 to 1.
    var jitter: Double

    /// When a later run tries again what has failed in so many runs in a row; nil for what is final. `rest`: for how long
    /// whoever was asked wants to be left alone.
    func nextRun(failedRuns: Int, isFinal: Bool, rest: Duration?) -> Date? {
        let pause = rest.map { min($0, Backoff.longest) } ?? Backoff.nextRun(failedRuns: failedRuns)
        return isFinal ? nil : now.advanced(by: pause)
    }
}
