/// A sync that failed: the input of `on-failure`, and of notifications. Its sentences are made in `CommandOutput`.
package struct FailureFacts: Sendable, Encodable {
    /// A failure of the run.
    package struct Failure: Sendable, Encodable {
        /// The video; nil for a failure that is about none.
        package var subject: HookSubject?
        /// What failed and why, in one sentence without its full stop.
        package var problem: String
        /// The next step; nil if there is none.
        package var advice: String?
        /// The number of videos that failed for the same reason.
        package var count: Int

        package init(_ subject: HookSubject?, problem: String, advice: String?, count: Int = 1) {
            self.subject = subject
            self.problem = TitleLine.of(problem)
            self.advice = advice.map { TitleLine.of($0) }
            self.count = count
        }

        package func encode(to encoder: any Encoder) throws {
            try subject?.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(problem, forKey: "problem")
            try container.encodeIfPresent(advice, forKey: "advice")
            try container.encode(count, forKey: "count")
        }

        /// The sentence with the next step.
        var text: String { advice.map { "\(problem); \($0)" } ?? problem }
    }

    /// The sync in general.
    package struct Run: Sendable {
        /// The user's name; nil if it was invalid.
        package var user: String?
        /// As `2/8`; nil for all courses.
        package var shard: String?
        /// The name of this machine.
        package var host: String
        package var catalogs: [String]
        /// RFC 3339.
        package var started: String
        /// RFC 3339.
        package var ended: String

        package init(
            user: String?, shard: String?, host: String, catalogs: [String], started: String, ended: String
        ) {
            self.user = user
            self.shard = shard
            self.host = host
            self.catalogs = catalogs
            self.started = started
            self.ended = ended
        }
    }

    package var run: Run
    /// The exit code.
    package var exit: Int
    /// The meaning of the exit code.
    package var meaning: String
    /// What failed, and where, in one line.
    package var message: String
    /// What the sync did, in one line.
    package var summary: String
    /// Why it could do nothing, or not all.
    package var errors: [String]
    /// Next steps that aren't about one failure.
    package var advice: [String]
    /// The first ones.
    package var failures: [Failure] = []
    /// The number of all failures of this run.
    package var count = 0

    package init(
        _ run: Run, exit: Int, meaning: String, message: String, summary: String, errors: [String] = [],
        advice: [String] = []
    ) {
        self.run = run
        self.exit = exit
        self.meaning = meaning
        self.message = TitleLine.of(message)
        self.summary = summary
        self.errors = errors.map { TitleLine.of($0) }
        self.advice = advice.map { TitleLine.of($0) }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(HookPoint.onFailure.rawValue, forKey: "hook")
        try container.encode(1, forKey: "schema")
        try container.encode(run.user, forKey: "user")
        try container.encodeIfPresent(run.shard, forKey: "shard")
        try container.encode(run.host, forKey: "host")
        try container.encode(run.catalogs, forKey: "catalogs")
        try container.encode(run.started, forKey: "started")
        try container.encode(run.ended, forKey: "ended")
        try container.encode(exit, forKey: "exit")
        try container.encode(meaning, forKey: "meaning")
        try container.encode(message, forKey: "message")
        try container.encode(summary, forKey: "summary")
        try container.encode(errors, forKey: "errors")
        try container.encode(failures, forKey: "failures")
        try container.encode(count, forKey: "count")
        try container.encode(advice, forKey: "advice")
    }
}
