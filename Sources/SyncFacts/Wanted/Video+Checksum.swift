package import CourseCatalog
package import FileSystem

extension Video {
    /// What the finished file must hash to; nil if the catalog doesn't say.
    package var checksum: Checksum? { sha256.map { Checksum($0) } }
}
