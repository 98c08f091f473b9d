package import DownloadStore
package import MediaLibrary
package import MigrationSources
package import SyncFacts

/// What became of a record of a source, or in a dry run, what would become of it.
package struct MigratedRecord: Sendable, Equatable {
    /// The record's first name, for the person who has the source.
    package var name: String
    package var code: MigrationCode
    package var reason: MigrationReason?
    /// Its video; nil if it isn't known.
    package var reference: VideoReference?
    /// Its file in the library, relative to it; a dry run doesn't see files of others in its place.
    package var path: String?
    /// The bytes that came from the source.
    package var bytes: Int64 = 0
    /// Whether the video waits for the next sync now.
    package var isQueued = false
    /// Whether an earlier run had the same result: nothing was changed by this one.
    package var isEarlier = false

    package init(name: String, code: MigrationCode, reason: MigrationReason? = nil) {
        self.name = name
        self.code = code
        self.reason = reason
    }
}

/// Why a record has its code.
package enum MigrationReason: Sendable, Equatable {
    /// The record itself can't be used.
    case fault(RecordFault)
    /// Something is needed first.
    case hold(SourceHold)
    /// No catalog has a video that it could be.
    case noVideo
    /// It could be several videos: only a map can tell.
    case ambiguous
    /// The map's entry leads to no video of the catalogs.
    case badMapEntry(String)
    /// The video's course is held by the guard on lost files, or its folder can't be read.
    case courseHeld
    /// The user has cancelled the video.
    case cancelled
    /// The source says that the user had the video: it is cancelled at the user's wish.
    case seen
    /// The file isn't in the source; its path there.
    case missingFile(String)
    case wrongSize(found: Int64, expected: Int64)
    case wrongChecksum
    /// The library has a file of the video with other bytes, which stays.
    case otherBytes
    /// An earlier record already matched this video.
    case sameVideo
    /// The library has more bytes of it already than the source.
    case hasMore
    /// Only the part that is certain is used, or none: no partial can be proven without the server.
    case partial(bytes: Int64)
    /// The library can't link to files of another file system.
    case otherFileSystem
    case library(LibraryError)
    case source(SourceProblem)
}
