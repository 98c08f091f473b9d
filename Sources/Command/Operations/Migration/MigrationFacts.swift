package import DownloadStore
package import FileSystem
package import MediaLibrary
package import MigrationSources
package import SyncFacts

/// The input of `migrate`.
package struct MigrationOptions: Sendable {
    /// How the bytes of a finished file come into the library.
    package enum Method: String, Sendable, CaseIterable {
        /// Copied, and hashed on the way.
        case copy
        /// A second name of the same file; nothing is copied or hashed.
        case link
        /// Linked where that is possible, otherwise copied; the source is removed at the end.
        case move
    }

    package var kind: SourceKind
    /// A folder or a file, as given.
    package var source: String
    package var reading = SourceOptions()
    /// The catalogs, user, state, library, layout and wait of a sync.
    package var sync: SyncOptions
    package var method = Method.copy
    /// A file of names and videos, as given.
    package var map: String?
    /// A catalog to be written for what is in no catalog.
    package var writeCatalog: String?
    /// Whether what can't be adopted is downloaded anew.
    package var requeues = false
    /// Whether downloads that this migration queues are paused.
    package var pausesQueued = false
    /// Whether videos of which the source has no file, but says that it had them, are cancelled.
    package var skipsSeen = false
    /// Whether the source is removed once everything of it is in the library.
    package var removesSource = false
    /// Whether nothing is changed.
    package var isDryRun = false

    package init(kind: SourceKind, source: String, sync: SyncOptions) {
        self.kind = kind
        self.source = source
        self.sync = sync
    }
}

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
    /// A record before this one was taken for the same video.
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

/// How far a migration is.
package struct MigrationProgress: Sendable, Equatable {
    /// Records that are decided, and all of the source.
    package var records = 0
    package var allRecords = 0
    /// Bytes copied, and all bytes of finished files that an earlier run hasn't brought; 0 if they are linked.
    package var bytes: Int64 = 0
    package var allBytes: Int64 = 0

    package init() {}
}

/// What a running migration reports, each record when it is decided.
package enum MigrationEvent: Sendable {
    /// Another process of this user is waited for.
    case waiting(LockHolder?)
    case record(MigratedRecord)
    case progress(MigrationProgress)
}

/// The result of a migration.
package struct MigrationSummary: Sendable {
    /// What became of the source at the end.
    package enum Removal: Sendable, Equatable {
        /// It wasn't asked for.
        case notAsked
        /// These many files were removed; these many that no record knows are still there.
        case removed(files: Int, left: Int)
        /// Everything stays, or from a change on the rest.
        case kept(KeptReason)
        /// A file couldn't be removed.
        case failed(path: String, errno: Int32)
    }

    /// Why a source isn't removed; with the name of the first record that is the reason.
    package enum KeptReason: Sendable, Equatable {
        /// Not all of it is in.
        case incomplete
        /// The library doesn't have its video, or not as it was recorded.
        case missing(String)
        /// The library has other bytes of it.
        case differs(String)
        /// Its file is the library's own.
        case librarys(String)
        /// This file, or the library's, has changed since they were compared.
        case changed(String)
    }

    /// The number of records with each code.
    package var counts: [MigrationCode: Int] = [:]
    /// Of these, the ones that an earlier run had decided in the same way.
    package var earlier = 0
    /// Videos that this run has queued.
    package var queued = 0
    /// Bytes that came into the library.
    package var bytes: Int64 = 0
    /// Entries of the map that no record had.
    package var unusedMapEntries: [String] = []
    /// A catalog that was written, or in a dry run would be, with its number of videos.
    package var writtenCatalog: (path: String, videos: Int)?
    package var removal = Removal.notAsked
    /// Whether it was stopped early.
    package var isStopped = false
    /// Whether the disk of the library is full, which ended the run.
    package var isDiskFull = false
    package var isDryRun = false
    /// Whether names in the source were left out because they aren't UTF-8 or lie too deep.
    package var hasUnreadNames = false
    /// Why it ended before the first record, or in the middle; nil if it didn't.
    package var problem: MigrationProblem?
    /// The mistakes of invalid catalogs.
    package var mistakes: [SyncProblem] = []
    package var conditions: Set<SyncCondition> = []

    package init() {}

    /// Records that aren't in the library, nor queued at the user's wish.
    package var left: Int { counts.reduce(0) { $0 + ($1.key.isIn ? 0 : $1.value) } }
}

/// Why a migration can't be made.
package enum MigrationProblem: Error, Sendable {
    case source(SourceProblem)
    case map(SourceProblem)
    /// The library is in the source, or the source in the library.
    case overlapping
    case refused(Refusal)

    /// Wraps an error of the work.
    init(any error: any Error) {
        switch error {
        case let problem as MigrationProblem: self = problem
        case let problem as SourceProblem: self = .source(problem)
        default: self = .refused(Refusal(any: error))
        }
    }
}
