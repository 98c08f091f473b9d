package import DownloadStore
package import Foundation

/// The phase of a download in the run, with its data. Each download is in exactly one.
package enum Phase: Sendable, Equatable {
    /// Waits for its turn: for this host, and not before this time.
    case queued(host: String?, dueAt: Date?)
    /// Waits for the file of another download that may have its bytes.
    case following
    /// Has its turn, or its provider is being asked for that.
    indirect case running(Turn)
    /// Taken out for a command; with the place to return to if the command doesn't change it.
    indirect case held(Held)
    /// All bytes are there, the digest isn't yet.
    case digesting
    case placing
    /// Its partial is being emptied, because of this error; nil if the checksum was wrong.
    indirect case emptying(DownloadError?)
    /// Done in this run, unless a command revives it.
    case settled(DownloadState)

    /// The place from which a download was taken.
    package enum Held: Sendable, Equatable {
        case queue(host: String?, dueAt: Date?)
        case following
        /// Its turn was ended; its row says so. With the host that it had a connection to.
        case turn(host: String?)
    }

    /// A phase without its data.
    enum Kind: Int, CaseIterable {
        case queued, following, running, held, digesting, placing, emptying, settled
    }

    var kind: Kind {
        switch self {
        case .queued: .queued
        case .following: .following
        case .running: .running
        case .held: .held
        case .digesting: .digesting
        case .placing: .placing
        case .emptying: .emptying
        case .settled: .settled
        }
    }

    /// Whether an operation is in progress that only its own end changes.
    package var isInPlay: Bool {
        switch self {
        case .running, .digesting, .placing, .emptying: true
        case .queued, .following, .held, .settled: false
        }
    }
}

/// A download's turn.
package struct Turn: Sendable, Equatable {
    /// The reason to end it. Of several the strongest counts, which is the last one here.
    package enum Ending: Int, Sendable, Comparable {
        /// There won't be space on the disk for it.
        case noSpace
        /// The run is stopped.
        case stop
        /// A command ends it, and decides what follows.
        case command
        /// Its partial couldn't be flushed.
        case lostFlush

        package static func < (a: Ending, b: Ending) -> Bool { a.rawValue < b.rawValue }
    }

    /// Whether it is for sidecars only.
    package var isQuestion = false
    /// The host that it has a connection to.
    package var host: String?
    /// Hosts of its additional connections, one entry for each.
    package var extraHosts: [String] = []
    /// Whether they are for one file, and given back once a download could use them.
    package var isWide = false
    /// Whether it has no host yet: its provider is being asked.
    package var isResolving: Bool
    /// Whether it has one of the run's slots. Asking a provider takes none, unless the user wants it now.
    package var hasSlot: Bool
    /// The time at which it began, or got its slot.
    package var since: Date
    /// The bytes of ``size`` that were written by then.
    package var base: Int64
    /// The number of logins at its provider when it began.
    package var logins: Int
    /// The disk space of its file; nil if unknown.
    package var size: Int64?
    /// The bytes of ``size`` that are written already.
    package var written: Int64
    /// Nil as long as it may continue.
    package var ending: Ending?

    /// Whether it has asked its provider after that moment. One that has a slot may ask at any time.
    func hasBegun(after moment: Date) -> Bool { hasSlot || since > moment }
}
