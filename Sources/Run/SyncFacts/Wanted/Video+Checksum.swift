package import CourseCatalog
package import FileSystem
package import ProviderKit

extension PublishedChecksums {
    /// Those of an answer or a listing; nil if it has none.
    package init?(_ checksums: Checksums) {
        self.init(md5: checksums.md5, sha1: checksums.sha1, crc32: checksums.crc32)
    }
}

extension Video {
    /// The expected digest of the finished file; nil if the catalog has none.
    package var checksum: Checksum? { sha256.map { Checksum($0) } }
}
