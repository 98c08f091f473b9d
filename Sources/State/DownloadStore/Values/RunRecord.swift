package import Foundation

/// The result of a finished run, for the history.
package struct RunEnd: Sendable, Equatable {
    /// Videos that arrived in this run.
    package var finished = 0
    /// Videos that failed in it.
    package var failed = 0
    /// Videos whose files were moved in it.
    package var moved = 0
    /// Videos that it removed.
    package var removed = 0
    /// Bytes that came from the network.
    package var bytes: Int64 = 0
    /// The reason for an early end; nil if there is none.
    package var stop: SuspendReason?
    /// What prevented exit code 0, by the names of `SyncCondition`; nil if unknown, in a run of an earlier version.
    package var conditions: [String]? = []
    /// Why it could do nothing, or not all; nil if nothing says so.
    package var message: String?
    /// How many videos failed at each host, or at a provider that has no host.
    package var failedAt: [String: Int] = [:]

    package init() {}
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
    /// Videos that weren't known before it; nil if unknown.
    package var added: Int?
    /// The bytes of all files when it ended; nil if unknown.
    package var libraryBytes: Int64?
    /// Its result; nil while it runs, and for one that was killed.
    package var end: RunEnd?

    package init(
        id: Int64, startedAt: Date, endedAt: Date? = nil, catalogs: [String], added: Int? = nil,
        libraryBytes: Int64? = nil, end: RunEnd? = nil
    ) {
        self.id = id
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.catalogs = catalogs
        self.added = added
        self.libraryBytes = libraryBytes
        self.end = end
    }
}
