package import DownloadStore
import Foundation
import MediaLibrary
package import MediaTransfer
package import ProviderKit
package import RunSchedule
package import SyncFacts

/// One way of bringing a video's bytes: a file as it stands, a stream that is joined from segments.
///
/// A ``DownloadJob`` makes one as soon as it knows what its provider's answer leads to, and keeps it over back-offs until
/// the download ends, loses its partial, or becomes one of another kind. What is `nonisolated` may be asked from any thread at
/// any time, as the bookkeeper and the events do; the rest belongs to the job's turn. A type of its own and a place in
/// ``DownloadKind/types`` make a new kind: nobody else asks which one a download is.
package protocol MediaDownload: Actor {
    /// What its rows are marked with.
    static var kind: DownloadKind { get }
    /// Which answers of providers lead to it.
    static var answers: Set<Resolution.Kind> { get }
    /// Whether the file in the library has the very bytes that catalog and provider give the size and SHA-256 of.
    static var keepsBytes: Bool { get }
    /// What comes beside the video with it and can't be had in another way.
    static var brings: Set<SidecarRecord.Kind> { get }
    /// The partials that it may have.
    static func partials(of download: DownloadID) -> DownloadPartials
    /// What `size` bytes of it take of the disk in all, until its file is at its place.
    static func room(for size: Int64, _ services: RunServices) -> Int64

    /// Goes on with the partials that `resume` tells of; with nil it begins at the beginning, whatever they hold.
    init(_ context: DownloadContext, resume: ResumeRecord?)

    /// How far it has come.
    nonisolated var progress: MediaProgress { get }
    /// Bytes that it has taken of the disk, of ``room(for:_:)``.
    nonisolated var written: Int64 { get }
    /// What is durable after a flush that this call makes; nil if there is nothing to tell. Blocks.
    nonisolated func flush() throws(FileError) -> ProgressFacts?
    /// Gives its descriptors up. It goes on where it is, with its next attempt.
    nonisolated func close()
    /// Empties its partials, for the next attempt to begin with the first byte. The row has forgotten them before. Blocks.
    nonisolated func startOver() throws(FileError)

    /// Whether the donor has the bytes that the answer leads to, by whatever this kind takes for a proof. What the catalog
    /// says of size and SHA-256 has been compared before.
    func hasBytes(of donor: Donor, _ attempt: inout Attempt) async -> Bool
    /// Transfers until all bytes are there or something has happened that ``AttemptPolicy`` has to judge.
    func transfer(_ attempt: inout Attempt) async -> AttemptEnd
    /// Gives up what it holds in memory: it won't go on for a while.
    func rest() async
}

/// How far a download has come.
package struct MediaProgress: Sendable, Equatable {
    /// In its partials.
    var bytes: Int64 = 0
    /// Of all of it, where that is known or can be estimated.
    var size: Int64?
    /// Of what plays for a time that is known.
    var playing: PlayingTime?
}

/// The names of the partials that a download of one kind may have.
package struct DownloadPartials: Sendable {
    /// A later run goes on with these.
    var kept: [PartialName]
    /// Made at its end, of what is kept.
    var passing: [PartialName] = []

    var all: [PartialName] { kept + passing }
}
