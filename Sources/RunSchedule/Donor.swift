package import DownloadStore
package import FileSystem

/// What a ``RequestDigest`` is of: the URL, and all that goes with it.
package enum RequestFields {}

/// All that the server sees of a request: the very same one gets the very same bytes. Never stored.
package typealias RequestDigest = DigestOf<RequestFields>

/// A file of the library that may have the bytes which another download wants.
package struct Donor: Sendable, Equatable {
    /// Where it is, and what is known of it.
    package var file: StoredFile
    /// The id of the video that it came for.
    package var video: String
    /// Digest of the URL and headers under which it came; nil if that wasn't in this run.
    package var request: RequestDigest?
    /// It is where the download's own file belongs, and no row knows it.
    package var isStanding: Bool

    package init(file: StoredFile, video: String, request: RequestDigest? = nil, isStanding: Bool = false) {
        self.file = file
        self.video = video
        self.request = request
        self.isStanding = isStanding
    }

    /// Whether the catalog leaves open that it has the bytes.
    package func isPossible(for wanted: WantedBytes) -> Bool {
        if let expected = wanted.sha256, file.sha256 != expected { return false }
        if let expected = wanted.size, file.size != expected { return false }
        return true
    }

    /// Whether it has the bytes for certain, so that nobody has to be asked: by a SHA-256 of the catalog, or by the word of
    /// a provider whose answers don't depend on the course.
    package func isProven(for wanted: WantedBytes) -> Bool {
        guard isPossible(for: wanted) else { return false }
        if wanted.sha256 != nil { return true }
        return wanted.ignoresCourse && file.source == wanted.source && video == wanted.video
    }
}

/// Which bytes a download wants, as far as that is known before anybody is asked.
package struct WantedBytes: Sendable, Equatable {
    /// The video's id.
    package var video: String
    /// Digest of (provider, quality, sound, parameters).
    package var source: SourceDigest
    /// As the catalog says.
    package var size: Int64?
    /// As the catalog says.
    package var sha256: Checksum?
    /// Whether the provider's answers don't depend on the course.
    package var ignoresCourse: Bool

    package init(video: String, source: SourceDigest, size: Int64?, sha256: Checksum?, ignoresCourse: Bool) {
        self.video = video
        self.source = source
        self.size = size
        self.sha256 = sha256
        self.ignoresCourse = ignoresCourse
    }
}
