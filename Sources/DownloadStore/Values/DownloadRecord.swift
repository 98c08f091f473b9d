package import FileSystem
package import Foundation

/// What a catalog says of a download.
package struct CatalogFields: Sendable, Equatable {
    /// The chapter's id; nil for a video directly under its course.
    package var chapter: String?
    /// What a person calls it.
    package var title: String
    /// 1-based among its siblings.
    package var position: Int
    /// Place in the order of its course.
    package var ordinal: Int64
    /// The provider's name.
    package var provider: String
    /// Digest of (provider, quality, sound, parameters); with the video's id it is the download's source.
    package var source: SourceDigest
    /// Higher goes first.
    package var priority: Int
    /// Digest of cover, subtitle files and attachments that the catalog names; nil without any.
    package var extras: ExtrasDigest?
    /// The planned path without its extension, relative to the library.
    package var stem: String
    /// In bytes, as the catalog says; nil if it says nothing.
    package var expectedSize: Int64?
    /// 32 bytes, as the catalog says; nil if it says nothing.
    package var expectedSHA256: Checksum?

    package init(
        chapter: String?, title: String, position: Int, ordinal: Int64, provider: String, source: SourceDigest,
        priority: Int, extras: ExtrasDigest?, stem: String, expectedSize: Int64?, expectedSHA256: Checksum?
    ) {
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

/// What proves that a server still serves the same bytes (RFC 9110 §8.8, §13.1.5).
package struct Validators: Sendable, Equatable {
    /// A strong ETag as written, quotes included.
    package var etag: String?
    /// A Last-Modified that was at least a second before its answer's Date.
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
    /// Nil for files that arrived with `--no-checksum`.
    package var sha256: Checksum?
    /// The source that it came from.
    package var source: SourceDigest
    /// What it can be compared by; nil if that isn't known.
    package var proof: FileProof?

    package init(
        path: String, size: Int64, modified: Int64?, sha256: Checksum?, source: SourceDigest, proof: FileProof? = nil
    ) {
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
    /// Its id.
    package var id: DownloadID
    /// Course and video.
    package var key: DownloadKey
    /// What its catalog says of it.
    package var catalog: CatalogFields
    /// Where it is.
    package var state: DownloadState
    /// Why it waits or is suspended; nil where nothing needs a reason.
    package var reason: SuspendReason?
    /// Overrides the catalog's priority until the download ends.
    package var priorityOverride: Int?
    /// Bytes of the partial that are known to be durable.
    package var durableBytes: Int64
    /// The whole size as the server said it, of the partial.
    package var totalBytes: Int64?
    /// What these bytes are proven by.
    package var validators: Validators
    /// The media type that the server gave these bytes; nil if it gave none.
    package var mediaType: String?
    /// What its bytes come as, or came as once it is finished; nil until its provider has said it.
    package var kind: DownloadKind?
    /// What the kind has noted of its partials, in its own words; nil for one file, of which the bytes say all.
    package var position: String?
    /// How long it plays, in seconds; nil where its kind doesn't tell.
    package var mediaSeconds: Double?
    /// The highest durable offset that this identity ever reached.
    package var highWater: Int64
    /// How often resuming against a validator failed.
    package var validatorFailures: Int
    /// How often the file was started over.
    package var startOvers: Int
    /// Whether it was started over since its host answers no range as it should.
    package var hasGivenUpRanges: Bool
    /// What went wrong last; nil if nothing did.
    package var error: DownloadError?
    /// Not before then; nil if it may at once, or never.
    package var retryAt: Date?
    /// Runs in a row that ended with this download failed.
    package var failedRuns: Int
    /// A rename to `file.path` is under way.
    package var isPlacing: Bool
    /// The file in the library: of a finished download, of one that is being placed, or the old one that stays until
    /// its successor is complete.
    package var file: StoredFile?
    /// While its successor is being placed: the old file.
    package var oldFile: StoredFile?
    /// The digest of the extras that are in the library.
    package var storedExtras: ExtrasDigest?
    /// While it is active: over the last seconds.
    package var bytesPerSecond: Int64?
    /// When the row last changed.
    package var updatedAt: Date
    /// No longer in its catalog.
    package var isGone: Bool

    /// What counts: the override, else the catalog's.
    package var priority: Int { priorityOverride ?? catalog.priority }

    /// Where it is.
    package var standing: RowStanding {
        RowStanding(state: state, reason: reason, retryAt: retryAt, isPlacing: isPlacing)
    }
}
