package import FileSystem

/// A file that was made of what is known of a course, beside its media.
package struct MetadataRecord: Sendable, Equatable {
    /// Relative to the library.
    package var path: String
    /// The course that it is of.
    package var course: String
    /// In bytes.
    package var size: Int64
    /// In ns since 1970; nil until it is known to be at its place.
    package var modified: Int64?
    /// Of all bytes.
    package var sha256: Checksum
    /// What is there until it is replaced; nil if nothing of ours did.
    package var old: Checksum?
    /// The size of ``old``.
    package var oldSize: Int64?

    package init(
        path: String, course: String, size: Int64, modified: Int64? = nil, sha256: Checksum, old: Checksum? = nil,
        oldSize: Int64? = nil
    ) {
        self.path = path
        self.course = course
        self.size = size
        self.modified = modified
        self.sha256 = sha256
        self.old = old
        self.oldSize = oldSize
    }
}
