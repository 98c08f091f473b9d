package import CourseCatalog
package import FileSystem

extension Video {
    /// The expected digest of the finished file; nil if the catalog has none.
    package var checksum: Checksum? { sha256.map { Checksum($0) } }
}
