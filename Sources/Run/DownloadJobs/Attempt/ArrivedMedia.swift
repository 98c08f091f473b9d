package import DownloadStore
package import FilePlacement
package import FileSystem
package import MediaLibrary
package import MediaTransfer
import RunSchedule

/// A video's complete bytes, with their metadata.
package struct ArrivedMedia: Sendable {
    /// Nil for a link to or copy of a donor.
    package var partial: PartialFile?
    /// The partial with the bytes; nil for the download's own.
    package var partialName: PartialName?
    package let size: Int64
    /// The donor's; nil if the partial has the digest.
    package var sha256: Checksum?
    /// The expected digest; nil if it isn't known.
    package var expectedSHA256: Checksum?
    /// The published checksums that the partial's bytes must have, or that the donor's bytes had; nil without any.
    package var checksums: PublishedChecksums?
    package let fileExtension: FileExtension
    /// Its place, relative to the library; nil for its stem and extension.
    package var path: String?
    /// Separate sound that can't be joined, the playlists of its package, or its subtitles.
    package var parts: [ArrivedFile] = []
    /// The time of the video's file, if that is in place already and stays.
    package var settles: Int64?
    /// Which view of the video it is, as the provider calls it.
    package var view: String?
    /// What ffmpeg has to make of it and its parts, once there is one.
    var joins: [LateJoin] = []
    package var joining: String? { LateJoin.text(joins) }
    /// Facts to compare the complete file with others.
    var proof: FileProof?
    /// Digest of the URL and headers of its request; nil if it wasn't in this run.
    var request: RequestDigest?
}

/// The reason to refuse a complete file: it is a web page, or the user's hook command rejects it.
package struct FileRejection: Sendable {
    package var error: DownloadError
    /// Whether another try would have the same result.
    package var isFinal: Bool
    /// Whether another try of the same URL would have the same result.
    var blamesURL = false

    package init(_ error: DownloadError, isFinal: Bool) {
        self.error = error
        self.isFinal = isFinal
    }

    /// What a host says in place of a file, whatever type its server gave; nil if it may be the file.
    ///
    /// - Parameters:
    ///   - isMedia: whether it has to be picture or sound, which are never text.
    ///   - url: where it came from, for the message.
    init?(ofPageIn partial: PartialFile, isMedia: Bool, at url: String?) {
        guard let beginning = try? partial.prefix(max(WebPageSignature.length, TextDetector.length) + 1) else {
            return nil
        }
        let type: String
        if WebPageSignature.isHTML(beginning) {
            type = "text/html"
        } else if isMedia, TextDetector.begins(beginning) {
            type = "text/plain"
        } else if isMedia, beginning.starts(with: [0x1F, 0x8B]) {
            type = "application/gzip"
        } else {
            return nil
        }
        error = DownloadError(.refused(status: 200, .page(type)), at: url)
        isFinal = false
        blamesURL = true
    }
}

/// A video with all its bytes, and the job that brought them.
@dynamicMemberLookup
package struct CompletedVideo: Sendable {
    package let job: DownloadJob
    package var media: ArrivedMedia

    /// Whether bytes of it have come, which may be wrong.
    package var hasNewBytes: Bool { media.partial != nil || media.parts.contains { $0.partial != nil } }

    package subscript<Value>(dynamicMember path: KeyPath<ArrivedMedia, Value>) -> Value { media[keyPath: path] }
}
