import DownloadStore
package import FileSystem
package import SyncFacts

/// What follows for a run that can open nothing more.
extension DescriptorLimit {
    /// Below this not even what the system's libraries open at the start can be opened, which some don't survive.
    private static let least = 32

    /// Why no sync can run with the limit as it is, or nil.
    package static var refusal: Refusal? {
        guard let current, current < least else { return nil }
        return .run(.fewDescriptors(current))
    }

    /// How a turn ended, or ``outcome`` if it failed while nothing could be opened: libcurl and resolvers don't say so.
    package static func judged(_ ended: JobOutcome) -> JobOutcome {
        switch ended {
        case .failed, .waits: isUsedUp ? outcome : ended
        default: ended
        }
    }

    /// What ends a run that can open nothing more.
    package static var outcome: JobOutcome { .suspended(.descriptors, .noDescriptors(current ?? 0)) }
}
