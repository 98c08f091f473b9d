/// Sums over the downloads of one chapter that are in one state.
package struct DownloadSums: Sendable {
    /// The course's id.
    package var course: String
    /// The chapter's id; nil directly under the course.
    package var chapter: String?
    /// As it is stored.
    package var state: DownloadState
    /// No longer in their catalog.
    package var isGone: Bool
    /// How many there are.
    package var count: Int
    /// Bytes that are there.
    package var doneBytes: ByteCount
    /// Bytes of all whose size is known.
    package var knownBytes: ByteCount
    /// How many have a known size.
    package var knownSizes: Int
    /// Bytes that are missing, where the size is known.
    package var missingBytes: ByteCount
    /// What their files and partials take of the disk.
    package var diskBytes: ByteCount
    /// Finished files that come from another source than the catalog now names.
    package var fromOtherSource: Int
    /// The lowest place of one of them in its catalog.
    package var ordinal: Int64
}
