package import FileSystem

/// A file made from the facts about a course, beside its media.
package struct MetadataRecord: Sendable, Equatable {
    /// Relative to the library.
    package var path: String
    package var course: String
    /// In bytes.
    package var size: Int64
    /// In ns since 1970; nil until it is known to be in place.
    package var modified: Int64?
    /// Of all bytes.
    package var sha256: Checksum
    /// The file in its place until it is replaced; nil if there was none of ours.
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
