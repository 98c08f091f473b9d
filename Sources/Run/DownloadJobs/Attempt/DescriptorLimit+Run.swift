import DownloadStore
package import FileSystem
package import SyncFacts

/// The consequences for a run that can't open more files.
extension DescriptorLimit {
    /// Below this not even the system's libraries can open their files at the start, and some crash.
    private static let least = 32

    /// The reason why no sync can run with this limit, or nil.
    package static var refusal: Refusal? {
        guard let current, current < least else { return nil }
        return .run(.fewDescriptors(current))
    }

    /// The end of a turn, or ``outcome`` if it failed while nothing could be opened: libcurl and resolvers don't report
    /// that.
    package static func judged(_ ended: JobOutcome) -> JobOutcome {
        switch ended {
        case .failed, .waits: isUsedUp ? outcome : ended
        default: ended
        }
    }

    /// Ends a run that can't open more files.
    package static var outcome: JobOutcome { .suspended(.descriptors, .noDescriptors(current ?? 0)) }
}
