package import MediaTransfer

/// The reason why a stream can't continue now. Facts only: no URL, no key.
package enum StreamFailure: Error, Sendable, Equatable {
    /// The part of the stream whose request failed.
    package enum Part: Sendable, Hashable {
        case playlist
        case key
        case initialization
        /// Its position in the playlist, from 0 on.
        case segment(Int)
    }

    /// A request failed.
    case transfer(TransferFailure, Part)
    /// The URLs of the stream have expired, according to the provider.
    case expired
    /// Encrypted data ends in the middle of a block: the rest is missing.
    case cut(Part)
    /// No key of the playlist makes media of it, nor ever has: it is encrypted by the vendor as well.
    case encrypted(Part)
    /// The response isn't media, or isn't a key.
    case notMedia(Part)
    /// The segments are of several kinds, which can't be in one file.
    case mixedKinds(MediaKind, MediaKind, Part)
    /// The initialization section changes in the middle: only ffmpeg can join that.
    case severalInitializations(Part)
    /// The partial can't be written.
    case file(FileError)

    /// The sensible action after it.
    package var verdict: RetryVerdict {
        switch self {
        // Joined bytes stay valid when a host answers a range with something else: another response may be right. The
        // same response may come complete.
        case .transfer(.lengthUnknown, .playlist): .retry
        case .transfer(let failure, _): failure.verdict == .startOver ? .retry : failure.verdict
        case .cut: .retry
        // A fresh URL may give another response: hosts send pages with the status and type of media, and wrong keys.
        case .expired, .notMedia, .encrypted: .resolveAgain
        case .file: .disk
        case .mixedKinds, .severalInitializations: .final
        }
    }
}
