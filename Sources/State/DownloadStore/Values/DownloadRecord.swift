package import FileSystem
package import Foundation

/// The catalog's facts about a download.
package struct CatalogFields: Sendable, Equatable {
    /// The chapter's id; nil for a video directly under its course.
    package var chapter: String?
    package var title: String
    /// 1-based among its siblings.
    package var position: Int
    /// Place in the order of its course.
    package var ordinal: Int64
    /// Its number in its season; nil if an older list of files didn't say it.
    package var number: Int?
    /// Its number in its course; nil likewise.
    package var numberInCourse: Int?
    /// Whether it keeps its number although its source has another: its name is older than that of the source.
    package var keepsNumber: Bool
    package var provider: String
    /// Digest of (provider, quality, sound, streams, parameters); with the video's id it is the download's source.
    package var source: SourceDigest
    /// Higher goes first.
    package var priority: Int
    /// Digest of cover, subtitle files and attachments that the catalog names; nil without any.
    package var extras: ExtrasDigest?
    /// The planned path without its extension, relative to the library.
    package var stem: String
    /// The catalog's size in bytes; nil if it has none.
    package var expectedSize: Int64?
    /// The catalog's 32 bytes; nil if it has none.
    package var expectedSHA256: Checksum?

    package init(
        chapter: String?, title: String, position: Int, ordinal: Int64, provider: String, source: SourceDigest,
        priority: Int, extras: ExtrasDigest?, stem: String, expectedSize: Int64?, expectedSHA256: Checksum?,
        number: Int? = nil, numberInCourse: Int? = nil, keepsNumber: Bool = false
    ) {
        self.number = number
        self.numberInCourse = numberInCourse
        self.keepsNumber = keepsNumber
        self.chapter = chapter.map(Identifier.normalized)
        self.title = title
        self.position = position
        self.ordinal = ordinal
        self.provider = provider
        self.source = source
        self.priority = priority
        self.extras = extras
        self.stem = stem
        self.expectedSize = expectedSize
        self.expectedSHA256 = expectedSHA256
    }
}

/// The proof that a server still serves the same bytes (RFC 9110 §8.8, §13.1.5).
package struct Validators: Sendable, Equatable {
    /// A strong ETag as written, quotes included.
    package var etag: String?
    /// A Last-Modified that was at least a second before its response's Date.
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// A file that a download has in the library.
package struct StoredFile: Sendable, Equatable {
    /// Relative to the library.
    package var path: String
    /// In bytes.
    package var size: Int64
    /// Modification time in ns since 1970, which proves the file ours without reading it; nil if never recorded.
    package var modified: Int64?
    /// Nil for files stored with `--no-checksum`.
    package var sha256: Checksum?
    package var source: SourceDigest
    /// Facts to compare it with other files; nil if there are none.
    package var proof: FileProof?
    /// The published checksums that it was compared with as it arrived; nil if there were none.
    package var checksums: PublishedChecksums?
    /// Which view of its video it is, as its provider calls it; nil if that has no word for it.
    package var role: String?
    /// What ffmpeg has to make of it and the files beside it once there is one, in the form of the downloads; nil for
    /// nothing.
    package var joining: String?

    package init(
        path: String, size: Int64, modified: Int64?, sha256: Checksum?, source: SourceDigest, proof: FileProof? = nil,
        checksums: PublishedChecksums? = nil, role: String? = nil, joining: String? = nil
    ) {
        self.role = role
        self.joining = joining
        self.checksums = checksums
        self.proof = proof
        self.path = path
        self.size = size
        self.modified = modified
        self.sha256 = sha256
        self.source = source
    }
}

/// A row of the `downloads` table.
package struct DownloadRecord: Sendable, Equatable {
    package var id: DownloadID
    /// Course and video.
    package var key: DownloadKey
    /// The catalog's facts about it.
    package var catalog: CatalogFields
    package var state: DownloadState
    /// The reason why it waits or is suspended; nil if it needs none.
    package var reason: SuspendReason?
    /// Overrides the catalog's priority until the download ends.
    package var priorityOverride: Int?
    /// Bytes of the partial that are known to be durable, up to its first gap.
    package var durableBytes: Int64
    /// The total given by the server for the partial.
    package var totalBytes: Int64?
    /// The proof of these bytes.
    package var validators: Validators
    /// The media type that the server gave these bytes; nil if it gave none.
    package var mediaType: String?
    /// The kind of its bytes, or of its finished file; nil until its provider has given it.
    package var kind: DownloadKind?
    /// The kind's own record of its partials; nil for one file, whose bytes are enough.
    package var position: String?
    /// The playing time in seconds; nil if its kind doesn't know it.
    package var mediaSeconds: Double?
    /// The highest durable offset that this identity ever reached.
    package var highWater: Int64
    /// How often resuming against a validator failed.
    package var validatorFailures: Int
    /// How often the file was started over.
    package var startOvers: Int
    /// Whether it was started over because its host answers no range correctly.
    package var hasGivenUpRanges: Bool
    /// The last error; nil if there is none.
    package var error: DownloadError?
    /// The earliest time of the next try; nil for at once, or never.
    package var retryAt: Date?
    /// The number of consecutive runs in which it failed.
    package var failedRuns: Int
    /// Whether a rename to `file.path` is in progress.
    package var isPlacing: Bool
    /// The file in the library: of a finished download, of one being placed, or the old one that stays until its
    /// successor is complete.
    package var file: StoredFile?
    /// While its successor is being placed: the old file.
    package var oldFile: StoredFile?
    /// The digest of the extras that are in the library.
    package var storedExtras: ExtrasDigest?
    /// While it is active: over the last seconds.
    package var bytesPerSecond: Int64?
    /// When the row last changed.
    package var updatedAt: Date
    /// Whether it is no longer in its catalog.
    package var isGone: Bool

    /// The effective priority: the override, else the catalog's.
    package var priority: Int { priorityOverride ?? catalog.priority }

    package var status: RowStatus {
        RowStatus(
            state: state, reason: reason, retryAt: retryAt, isPlacing: isPlacing, failedRuns: failedRuns)
    }
}

extension DownloadRecord {
    /// All durable bytes of the partial, also those after a gap.
    package var heldBytes: Int64 { FileRanges.held(durableBytes, position) }
}
