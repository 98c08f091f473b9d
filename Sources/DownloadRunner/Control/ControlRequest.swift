package import DownloadStore

/// What a command asks of the process that holds the user's lock. It stands as JSON in the `requests` table.
package enum ControlRequest: Codable, Sendable, Equatable {
    /// Pause, resume, cancel, retry or remove these downloads.
    case steer(StateTransition, [DownloadID])
    /// Give these downloads another priority.
    case prioritize(PriorityChange, [DownloadID])
    /// Change what the run was started with.
    case set(RunSettings)
    /// The user has logged out: to be answered when nothing is transferring any more.
    case loggedOut
    /// Credentials of this provider were forgotten: to be answered when nothing of it is transferring any more.
    case providerLoggedOut(String)
    /// There are new credentials of this provider.
    case providerLoggedIn(String)
}

/// What `prioritize --to` says.
package enum PriorityChange: Codable, Sendable, Equatable {
    /// Higher goes first; the catalog's words mean -10, 0 and 10.
    case level(Int)
    /// At once, if need be in the place of another one.
    case now
    /// As the catalog says.
    case catalog

    /// The override that the row gets; nil takes it away.
    var level: Int? {
        switch self {
        case .level(let level): level
        case .now: Self.nowLevel
        case .catalog: nil
        }
    }

    /// Above all that people write.
    static let nowLevel = 1_000_000_000
}

/// What `set` changes in a running sync; nil leaves a thing as it is.
package struct RunSettings: Codable, Sendable, Equatable {
    /// Downloads that may be active at once.
    package var jobs: Int?
    /// Bytes a second of each download; 0 is no limit.
    package var limitRate: Int64?
    /// Bytes a second of the run, or a timetable, as on the command line.
    package var bandwidth: String?

    package init(jobs: Int? = nil, limitRate: Int64? = nil, bandwidth: String? = nil) {
        self.jobs = jobs
        self.limitRate = limitRate
        self.bandwidth = bandwidth
    }
}

/// What the process that holds the lock answers.
package enum ControlAnswer: Codable, Sendable, Equatable {
    /// It has been taken and will be done.
    case working
    /// What became of each download.
    case steered([SteeringOutcome])
    case done
    /// It can't be done; a sentence for the person: whoever asked may be of another version, which knows other refusals.
    case failed(String)
}

/// What became of one download that a command was about.
package struct SteeringOutcome: Codable, Sendable, Equatable {
    /// How it went.
    package enum Verdict: String, Codable, Sendable {
        case changed
        /// It was so already.
        case same
        /// The state table doesn't allow it.
        case refused
        /// Removed from the list, but the file at its place isn't the one that was recorded, so it stays.
        case fileKept
    }

    /// Which one.
    package var id: DownloadID
    /// The state before.
    package var before: DownloadState
    /// The state now.
    package var after: DownloadState
    /// How it went.
    package var verdict: Verdict

    package init(id: DownloadID, before: DownloadState, after: DownloadState, verdict: Verdict) {
        self.id = id
        self.before = before
        self.after = after
        self.verdict = verdict
    }
}
