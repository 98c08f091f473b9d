package import DownloadStore
import FilePlacement
import Foundation
package import MediaTransfer
package import ProviderKit
package import RunSchedule
package import SyncFacts

/// A way to download a video's bytes: as a file, or as a stream joined from segments.
///
/// A ``DownloadJob`` makes one as soon as it knows the kind from its provider's answer, and keeps it over back-offs
/// until the download ends, loses its partial, or changes its kind. `nonisolated` members may be called from any thread
/// at any time, by bookkeeper and events; the others belong to the job's turn. A new kind needs only a conforming type
/// and an entry in ``DownloadKind/types``; its partials are in DownloadPartials.swift, and what a row of the kind means
/// is in DownloadKind+Bytes.swift; the library's own list names it (`FileListEntry`).
package protocol MediaDownload: Actor {
    /// The mark of its rows.
    static var kind: DownloadKind { get }
    /// The kinds of answers that lead to it.
    static var answers: Set<Resolution.Kind> { get }
    /// The disk space needed for `size` bytes of it, until its file is placed.
    static func spaceNeeded(for size: Int64, _ services: RunServices) -> Int64

    /// Continues the partials of `resume`; with nil it starts over, whatever they contain. Called through the type as a
    /// value, by ``DownloadJob/become(_:)``: the release build of Swift 6.3 refuses a call of an actor's own.
    init(_ context: DownloadContext, resume: ResumeRecord?)

    nonisolated var progress: MediaProgress { get }
    /// The disk space already used, of ``spaceNeeded(for:_:)``.
    nonisolated var written: Int64 { get }
    /// The durable progress after a flush made by this call; nil if there is nothing to record. Blocks.
    nonisolated func flush() throws(FileError) -> ProgressFacts?
    /// Closes its descriptors. It continues with its next attempt.
    nonisolated func close()
    /// Empties its partials, so that the next attempt begins with the first byte. The row has been cleared before.
    /// Blocks.
    nonisolated func startOver() throws(FileError)

    /// Whether the donor has the bytes of the answer, by this kind's proofs. The catalog's size and SHA-256 have been
    /// compared before.
    func hasBytes(of donor: Donor, _ attempt: inout Attempt) async -> Bool
    /// Transfers until all bytes are there or ``AttemptPolicy`` has to decide.
    func transfer(_ attempt: inout Attempt) async -> AttemptEnd
    /// Releases its memory: it won't continue for a while.
    func rest() async
}

package struct MediaProgress: Sendable, Equatable {
    /// In its partials.
    var bytes: Int64 = 0
    /// The total, if it is known or can be estimated.
    var size: Int64?
    /// For media with a known duration.
    var playing: PlayingTime?
}
