package import Foundation

/// The result of a finished run, for the history.
package struct RunEnd: Sendable {
    package var exit: Int
    package var finished: Int
    package var failed: Int
    /// Bytes that are there.
    package var bytes: Int64

    package init(exit: Int, finished: Int, failed: Int, bytes: Int64) {
        self.exit = exit
        self.finished = finished
        self.failed = failed
        self.bytes = bytes
    }
}

/// A line of the `runs` history.
package struct RunRecord: Sendable {
    package var id: Int64
    /// When it began.
    package var startedAt: Date
    /// Nil while it runs, and for one that was killed.
    package var endedAt: Date?
    /// As they were given.
    package var catalogs: [String]
    /// Its result; nil while it runs, and for one that was killed.
    package var end: RunEnd?
}
