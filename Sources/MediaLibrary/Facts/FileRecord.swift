package import FileSystem

/// What the state recorded about a file of ours, to recognise it by.
///
/// The size must be equal. Then an equal `modified` proves a file to be ours without reading it, and otherwise an equal
/// SHA-256 does. With neither recorded nothing is proven, and nothing is ever deleted or replaced.
package struct FileRecord: Sendable, Hashable {
    /// In bytes.
    package var size: Int64
    /// ``FileFacts/modified`` when the file was placed.
    package var modified: Int64?
    /// Of all bytes; nil where none was recorded.
    package var sha256: Checksum?

    package init(size: Int64, modified: Int64?, sha256: Checksum?) {
        self.size = size
        self.modified = modified
        self.sha256 = sha256
    }
}

/// A file that was read from its first byte to its last.
package struct HashedFile: Sendable, Hashable {
    /// Before the first byte was read.
    package var facts: FileFacts
    /// Of all bytes.
    package var sha256: Checksum
    /// False if somebody changed the file while it was read: then the hash means nothing.
    package var isStable: Bool

    package init(facts: FileFacts, sha256: Checksum, isStable: Bool) {
        self.facts = facts
        self.sha256 = sha256
        self.isStable = isStable
    }
}

/// Whether the file at a path is the one that was recorded.
package enum Proof: Sendable, Hashable {
    case ours(FileFacts)
    case notOurs(FileFacts)
    case missing
}
