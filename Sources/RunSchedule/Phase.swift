package import DownloadStore
package import Foundation

/// Where a download of the run is, with what belongs to that. Each is in exactly one.
package enum Phase: Sendable, Equatable {
    /// Waits for its turn: at this host, and not before then.
    case queued(host: String?, dueAt: Date?)
    /// Waits for the file of another download that may have its bytes.
    case following
    /// Has its turn.
    indirect case running(Turn)
    /// Taken out of its place for a command; where it goes if the command leaves it alone.
    indirect case held(Held)
    /// All bytes are there, their digest isn't.
    case digesting
    /// On its way to its place.
    case placing
    /// Its partial is being emptied, because of this error; nil if the checksum was wrong.
    indirect case mending(DownloadError?)
    /// Nothing more happens to it in this run, unless somebody says so.
    case settled(DownloadState)

    /// From where a download was taken.
    package enum Held: Sendable, Equatable {
        case queue(host: String?, dueAt: Date?)
        case following
        /// Its turn was ended; its row says so.
        case turn
    }

    /// A phase without what belongs to it.
    enum Kind: Int, CaseIterable {
        case queued, following, running, held, digesting, placing, mending, settled
    }

    var kind: Kind {
        switch self {
        case .queued: .queued
        case .following: .following
        case .running: .running
        case .held: .held
        case .digesting: .digesting
        case .placing: .placing
        case .mending: .mending
        case .settled: .settled
        }
    }

    /// Whether something is under way that only its own end changes.
    package var isInPlay: Bool {
        switch self {
        case .running, .digesting, .placing, .mending: true
        case .queued, .following, .held, .settled: false
        }
    }
}

/// A download's turn.
package struct Turn: Sendable, Equatable {
    /// Why it is to end. Of several the strongest counts, which is the last one here.
    package enum Ending: Int, Sendable, Comparable {
        /// There won't be room on the disk for it.
        case noRoom
        /// The run is stopped.
        case stop
        /// Somebody wants it to end, and says what follows.
        case command
        /// Its partial failed to reach the disk.
        case lostFlush

        package static func < (a: Ending, b: Ending) -> Bool { a.rawValue < b.rawValue }
    }

    /// The host that it has a connection to.
    package var host: String?
    /// Hosts that it has more connections to, one for each.
    package var extraHosts: [String] = []
    /// Whether it hasn't asked for a host yet: its provider is being asked.
    package var isResolving: Bool
    /// Logins at its provider that the run had seen when it began.
    package var logins: Int
    /// Bytes that its file takes; nil if that isn't known.
    package var size: Int64?
    /// Bytes of those that are there.
    package var written: Int64
    /// Nil as long as it may continue.
    package var ending: Ending?
}
