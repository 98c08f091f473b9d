package import FileSystem

/// The state's record of a file of ours, to recognize it.
///
/// The size must be equal. Then an equal `modified` proves a file to be ours without reading it, and otherwise an equal
/// SHA-256 does. If neither is recorded nothing is proven, and nothing is ever deleted or replaced.
package struct FileRecord: Sendable, Hashable {
    /// In bytes.
    package var size: Int64
    /// ``FileFacts/modified`` when the file was placed.
    package var modified: Int64?
    /// Of all bytes; nil if none was recorded.
    package var sha256: Checksum?

    package init(size: Int64, modified: Int64?, sha256: Checksum?) {
        self.size = size
        self.modified = modified
        self.sha256 = sha256
    }
}

/// A file that has been read completely.
package struct HashedFile: Sendable, Hashable {
    /// Before the first byte was read.
    package var facts: FileFacts
    /// Of all bytes.
    package var sha256: Checksum
    /// False if somebody changed the file while it was read: then the hash is meaningless.
    package var isStable: Bool
    /// The first of the checksums asked for that it doesn't have; nil if it has all.
    package var contradicted: PublishedChecksums.Algorithm?

    package init(
        facts: FileFacts, sha256: Checksum, isStable: Bool, contradicted: PublishedChecksums.Algorithm? = nil
    ) {
        self.contradicted = contradicted
        self.facts = facts
        self.sha256 = sha256
        self.isStable = isStable
    }
}

/// The result of comparing the file at a path with a record.
package enum Proof: Sendable, Hashable {
    case ours(FileFacts)
    case notOurs(FileFacts)
    case missing
}
