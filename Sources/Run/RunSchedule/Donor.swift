package import DownloadStore
package import FileSystem

/// The subject of a ``RequestDigest``: the URL, and everything sent with it.
package enum RequestFields {}

/// Everything that the server sees of a request: equal requests get equal bytes. Never stored.
package typealias RequestDigest = DigestOf<RequestFields>

/// A file of the library that may have the bytes of another download.
package struct Donor: Sendable, Equatable {
    /// Its path, and its recorded facts.
    package var file: StoredFile
    /// The id of its video.
    package var video: String
    /// Digest of the URL and headers of its request; nil if it wasn't in this run.
    package var request: RequestDigest?
    /// Whether it is in the download's own place, without a row.
    package var isInPlace: Bool
    /// Whether it is another shard's: nothing is known of the files beside it.
    package var isOfOtherShard: Bool

    package init(
        file: StoredFile, video: String, request: RequestDigest? = nil, isInPlace: Bool = false,
        isOfOtherShard: Bool = false
    ) {
        self.isOfOtherShard = isOfOtherShard
        self.file = file
        self.video = video
        self.request = request
        self.isInPlace = isInPlace
    }

    /// Whether it may have the bytes, according to the catalog.
    package func isPossible(for wanted: WantedBytes) -> Bool {
        if let expected = wanted.sha256, file.sha256 != expected { return false }
        if let expected = wanted.size, file.size != expected { return false }
        // Where only these decide, the file must have been compared with them itself.
        if wanted.sha256 == nil, let checksums = wanted.checksums, !checksums.isContained(in: file.checksums) {
            return false
        }
        return true
    }

    /// Whether it certainly has the bytes, so that no request is needed: by a SHA-256 of the catalog, or because the
    /// provider's answers don't depend on the course.
    package func isProven(for wanted: WantedBytes) -> Bool {
        guard isPossible(for: wanted) else { return false }
        if wanted.sha256 != nil { return true }
        return wanted.ignoresCourse && file.source == wanted.source && video == wanted.video
    }
}

/// The facts about a download's bytes that are known before any request.
package struct WantedBytes: Sendable, Equatable {
    /// The video's id.
    package var video: String
    /// Digest of (provider, quality, sound, streams, parameters).
    package var source: SourceDigest
    /// From the catalog.
    package var size: Int64?
    /// From the catalog.
    package var sha256: Checksum?
    /// From the catalog.
    package var checksums: PublishedChecksums?
    /// Whether the provider's answers don't depend on the course.
    package var ignoresCourse: Bool

    package init(
        video: String, source: SourceDigest, size: Int64?, sha256: Checksum?, checksums: PublishedChecksums? = nil,
        ignoresCourse: Bool
    ) {
        self.checksums = checksums
        self.video = video
        self.source = source
        self.size = size
        self.sha256 = sha256
        self.ignoresCourse = ignoresCourse
    }
}
