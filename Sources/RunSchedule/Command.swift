package import DownloadStore

/// Something that somebody asks of a run. One is carried out after the other: downloads that it names are taken out of the
/// queue, turns that are in the way end, rows change, and the run learns what has become of each.
package struct Command: Sendable {
    /// What is asked for.
    package enum Kind: Sendable {
        /// Pause, resume, cancel, retry or remove.
        case steer(StateTransition, [DownloadID])
        /// Another priority; `isNow`: at once, if need be in the place of others.
        case prioritize(isNow: Bool, [DownloadID])
        /// How many may have their turns at once, and connections to one host.
        case jobs(Int, hostCap: Int)
        /// Credentials of a provider were forgotten.
        case loggedOut(String)
        /// There are new credentials of a provider.
        case loggedIn(String)
    }

    /// What comes of it.
    package enum Answer: Sendable, Equatable {
        /// It is done, but for those that were at work: they stay as they are.
        case done(busy: [DownloadID])
        /// The last turn is over: nothing was done.
        case over
    }

    /// How far it is.
    enum Stage: Equatable {
        /// It waits for those before it.
        case queued
        /// Turns that are in its way end.
        case holding
        /// Rows change.
        case applying
        /// Turns end so that others have room.
        case yielding
    }

    let number: Int
    var kind: Kind
    var stage = Stage.queued
    /// What it names, and may not begin a turn before it is done.
    var ids: Set<DownloadID> = []
    /// Those of them that are in play, and have to end first.
    var awaited: Set<DownloadID> = []
    /// Those that are in play and stay there.
    var busy: [DownloadID] = []
    /// Downloads that go back to the queue for others, once their turns have ended.
    var victims: Set<DownloadID> = []

    /// Whether a download may not go to the queue now.
    func holds(_ id: DownloadID) -> Bool {
        switch stage {
        case .queued: false
        case .holding, .applying: ids.contains(id)
        case .yielding: victims.contains(id)
        }
    }
}
