package import MediaTransfer

/// Why a stream can't go on now. Facts only: no URL, no key.
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
    /// A key that isn't 16 bytes long, or a segment that no key of ours opens.
    case cipher(Part)
    /// What was decrypted is no media: the vendor's own encryption comes on top.
    case encrypted(Part)
    /// What arrived is something else than media.
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
        case .transfer(let failure, _): failure.verdict
        // Another answer may come for a fresh URL: hosts send pages with the status and type of media.
        case .notMedia: .resolveAgain
        case .file: .disk
        case .cipher, .encrypted, .mixedKinds, .severalInitializations: .final
        }
    }
}
