/// Sums over the downloads of one chapter that are in one state.
package struct DownloadSums: Sendable {
    /// The course's id.
    package var course: String
    /// The chapter's id; nil directly under the course.
    package var chapter: String?
    /// The stored state.
    package var state: DownloadState
    /// Whether they are no longer in their catalog.
    package var isGone: Bool
    package var count: Int
    /// Bytes that are there.
    package var doneBytes: ByteCount
    /// The total of all known sizes.
    package var knownBytes: ByteCount
    package var knownSizes: Int
    /// Bytes that are missing, where the size is known.
    package var missingBytes: ByteCount
    /// The disk space of their files and partials.
    package var diskBytes: ByteCount
    /// Finished files from another source than the catalog now names.
    package var fromOtherSource: Int
    /// The first position among them in their catalog.
    package var ordinal: Int64
}
