package import DownloadStore

/// A command to a run, or more courses for it. They are carried out one after the other: the named downloads are taken
/// out of the queue, conflicting turns end, rows change, and the run gets the results.
package struct Command: Sendable {
    package enum Kind: Sendable {
        /// Pause, resume, cancel, retry or remove.
        case steer(StateTransition, [DownloadID])
        /// Another priority; `isNow`: at once, in place of others if necessary.
        case prioritize(isNow: Bool, [DownloadID])
        /// The number of turns at a time, and of connections to one host; `isAutomatic`: the run finds out how many
        /// turns the link takes.
        case jobs(Int, isAutomatic: Bool = false, hostCap: Int)
        /// Credentials of a provider were deleted.
        case loggedOut(String)
        /// There are new credentials of a provider.
        case loggedIn(String)
        /// Courses that were listed during the turns: they are compared, their files moved, their downloads added.
        case arrival
    }

    package enum Answer: Sendable, Equatable {
        /// Done, except for the busy ones: they stay as they are.
        case done(busy: [DownloadID])
        /// The last turn is over: nothing was done.
        case over
    }

    /// The progress of the command.
    enum Stage: Equatable {
        /// It waits for those before it.
        case queued
        /// Conflicting turns end.
        case holding
        /// Rows change.
        case applying
        /// Turns end to make room for others.
        case yielding
    }

    let number: Int
    var kind: Kind
    var stage = Stage.queued
    /// The named downloads, which may not begin a turn before it is done.
    var ids: Set<DownloadID> = []
    /// The active ones among them, which have to end first.
    var awaited: Set<DownloadID> = []
    /// The active ones that stay so.
    var busy: [DownloadID] = []
    /// Downloads that go back to the queue in favour of others, once their turns have ended.
    var preempted: Set<DownloadID> = []

    /// Whether a download must not go to the queue now.
    func holds(_ id: DownloadID) -> Bool {
        switch stage {
        case .queued: false
        case .holding, .applying: ids.contains(id)
        case .yielding: preempted.contains(id)
        }
    }
}
