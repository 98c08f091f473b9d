package import DownloadStore
package import FileSystem
package import MediaLibrary
package import MediaTransfer
import RunSchedule

/// The bytes of a video, all of them, and what is known of them.
package struct ArrivedMedia: Sendable {
    /// Nil for what was linked or copied from a donor.
    package var partial: PartialFile?
    /// Where it is; nil for the download's own partial.
    package var partialName: PartialName?
    package let size: Int64
    /// The donor's; nil where the partial's digest tells.
    package var sha256: Checksum?
    /// What the digest has to be; nil if nobody has said.
    package var expectedSHA256: Checksum?
    package let fileExtension: FileExtension
    /// Where it belongs, relative to the library; nil for its stem and extension.
    package var path: String?
    /// Separate sound that nothing can put into it, the playlists of its package, or its subtitles.
    package var parts: [ArrivedFile] = []
    /// What the complete file can be compared by.
    var proof: FileProof?
    /// Digest of the URL and headers under which its bytes came; nil if that wasn't in this run.
    var request: RequestDigest?
}

/// What there is against a complete file: it is a web page, or the person's own command doesn't want it.
package struct FileComplaint: Sendable {
    package var error: DownloadError
    /// Another try would bring the same.
    package var isFinal: Bool
    /// Another try of the same URL would bring the same.
    var blamesURL = false

    package init(_ error: DownloadError, isFinal: Bool) {
        self.error = error
        self.isFinal = isFinal
    }
}

/// A video whose bytes are all there: what has arrived, and the job that brought it.
@dynamicMemberLookup
package struct CompletedVideo: Sendable {
    package let job: DownloadJob
    package var media: ArrivedMedia

    package subscript<Value>(dynamicMember path: KeyPath<ArrivedMedia, Value>) -> Value { media[keyPath: path] }
}
