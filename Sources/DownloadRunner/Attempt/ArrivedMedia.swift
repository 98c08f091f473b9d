import DownloadStore
import MediaLibrary
import MediaTransfer

/// The bytes of a video, all of them, and what is known of them.
struct ArrivedMedia: Sendable {
    /// Nil for what was linked or copied from a donor.
    var partial: PartialFile?
    /// Where it is; nil for the download's own partial.
    var partialName: PartialName?
    let size: Int64
    /// The donor's; nil where the partial's digest tells.
    var sha256: [UInt8]?
    /// What the digest has to be; nil if nobody has said.
    var expectedSHA256: [UInt8]?
    let fileExtension: FileExtension
    /// Where it belongs, relative to the library; nil for its stem and extension.
    var path: String?
    /// Separate sound that nothing can put into it, the playlists of its package, or its subtitles.
    var parts: [ArrivedFile] = []
    /// What the complete file can be compared by.
    var proof: FileProof?
    /// Digest of the URL and headers under which its bytes came; nil if that wasn't in this run.
    var request: [UInt8]?
}

/// A video whose bytes are all there: what has arrived, and the job that brought it.
@dynamicMemberLookup
struct CompletedVideo: Sendable {
    let job: DownloadJob
    var media: ArrivedMedia

    subscript<Value>(dynamicMember path: KeyPath<ArrivedMedia, Value>) -> Value { media[keyPath: path] }
}
