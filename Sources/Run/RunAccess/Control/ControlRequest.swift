package import DownloadStore

/// A command's request to the process that holds the user's lock. Stored as JSON in the `requests` table.
package enum ControlRequest: Codable, Sendable, Equatable {
    /// Pause, resume, cancel, retry or remove these downloads.
    case steer(StateTransition, [DownloadID])
    /// Give these downloads another priority.
    case prioritize(PriorityChange, [DownloadID])
    /// Change the running sync's settings.
    case set(RunSettings)
    /// The user has logged out: to be answered when all transfers have ended.
    case loggedOut
    /// Credentials of this provider were deleted: to be answered when all of its transfers have ended.
    case providerLoggedOut(String)
    /// There are new credentials of this provider.
    case providerLoggedIn(String)
}

/// The argument of `prioritize --to`.
package enum PriorityChange: Codable, Sendable, Equatable {
    /// Higher goes first; the catalog's words mean -10, 0 and 10.
    case level(Int)
    /// At once, in place of another download if necessary.
    case now
    /// The catalog's priority.
    case catalog

    /// The override for the row; nil removes it.
    var level: Int? {
        switch self {
        case .level(let level): level
        case .now: Self.nowLevel
        case .catalog: nil
        }
    }

    /// Above every priority that users write.
    static let nowLevel = 1_000_000_000
}

/// The changes of `set` to a running sync; nil leaves a setting unchanged.
package struct RunSettings: Codable, Sendable, Equatable {
    /// Downloads that may be active at once.
    package var jobs: Int?
    /// Whether that is only the number at first, and the run finds out how many the link takes.
    package var jobsAuto: Bool?
    /// Bytes per second of each download; 0 is no limit.
    package var limitRate: Int64?
    /// Bytes per second of the run, or a timetable, as on the command line.
    package var bandwidth: String?

    package init(
        jobs: Int? = nil, jobsAuto: Bool? = nil, limitRate: Int64? = nil, bandwidth: String? = nil
    ) {
        self.jobs = jobs
        self.jobsAuto = jobsAuto
        self.limitRate = limitRate
        self.bandwidth = bandwidth
    }
}

/// The answer of the process that holds the lock.
package enum ControlAnswer: Codable, Sendable, Equatable {
    /// It was accepted and will be carried out.
    case working
    /// The result for each download.
    case steered([SteeringOutcome])
    case done
    /// It is refused; a sentence for the user, since the requester may be of another version, which knows other
    /// refusals.
    case failed(String)
}

/// The result of a command for one download.
package struct SteeringOutcome: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        case changed
        /// No change was necessary.
        case same
        /// The state table doesn't allow it.
        case refused
        /// Removed from the list, but the file in its place isn't the recorded one, so it stays.
        case fileKept
        /// Its file, or one beside it, can't be removed; see ``obstacle``. A finished download whose file is still
        /// there stays finished, any other is cancelled; a later `remove` tries again.
        case fileNotRemoved
    }

    /// The reason why a file can't be removed.
    package struct Obstacle: Codable, Sendable, Equatable {
        /// In the library.
        package var path: String
        /// Of the failed call; nil if an earlier run has begun to move the file, and couldn't finish that.
        package var errno: CInt?

        package init(path: String, errno: CInt?) {
            self.path = path
            self.errno = errno
        }
    }

    package var id: DownloadID
    package var before: DownloadState
    /// The state now.
    package var after: DownloadState
    package var verdict: Verdict
    /// The file that can't be removed, if that is the reason.
    package var obstacle: Obstacle?

    package init(
        id: DownloadID, before: DownloadState, after: DownloadState, verdict: Verdict, obstacle: Obstacle? = nil
    ) {
        self.obstacle = obstacle
        self.id = id
        self.before = before
        self.after = after
        self.verdict = verdict
    }
}
