package import MediaTransfer

/// Why a stream can't continue now. Facts only: no URL, no key.
package enum StreamFailure: Error, Sendable, Equatable {
    /// What is being fetched when it goes wrong.
    package enum Part: Sendable, Hashable {
        case playlist
        case key
        case initialization
        /// By its place in the playlist, from 0 on.
        case segment(Int)
    }

    /// A request went wrong.
    case transfer(TransferFailure, Part)
    /// The URLs of the stream are over by the word of whoever gave them.
    case expired
    /// What is encrypted ends in the middle of a block: the rest of it is missing.
    case cut(Part)
    /// No key of the playlist makes media of it, and never has: the vendor's own encryption comes on top.
    case encrypted(Part)
    /// What arrived is something else than media, or no key.
    case notMedia(Part)
    /// The segments are of several kinds, which can't stand in one file.
    case mixedKinds(MediaKind, MediaKind, Part)
    /// The initialization section changes on the way: only ffmpeg can join that.
    case severalInitializations(Part)
    /// The partial can't be written.
    case file(FileError)

    /// What is sensible after it.
    package var verdict: RetryVerdict {
        switch self {
        // What is joined stays good when a host answers a range with something else: another answer may be better.
        // The same answer may come with its end.
        case .transfer(.lengthUnknown, .playlist): .retry
        case .transfer(let failure, _): failure.verdict == .startOver ? .retry : failure.verdict
        case .cut: .retry
        // Another answer may come for a fresh URL: hosts send pages with the status and type of media, and keys that
        // aren't the stream's.
        case .expired, .notMedia, .encrypted: .resolveAgain
        case .file: .disk
        case .mixedKinds, .severalInitializations: .final
        }
    }
}
