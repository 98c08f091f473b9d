package import FileSystem
package import MediaTransfer

extension PartialFile {
    /// The checksum of the complete file, once it is there; nil if none is computed.
    package func checksum() async throws(FileError) -> Checksum? { try await sha256().map { Checksum($0) } }

    /// The first of these checksums that the complete file doesn't have; nil if it has all. Reads it once.
    package func contradiction(
        to expected: PublishedChecksums
    ) async throws(FileError) -> PublishedChecksums.Algorithm? {
        let found: Result<PublishedChecksums?, FileError> = await Blocking.run { _ in
            do throws(FileError) {
                var digest = expected.digest
                var offset: Int64 = 0
                while offset < self.length {
                    let block = try self.bytes(at: offset, count: 1 << 20)
                    block.withUnsafeBytes { digest.update($0) }
                    offset += Int64(block.count)
                }
                return .success(digest.checksums)
            } catch { return .failure(error) }
        }
        return try found.get().flatMap { expected.contradiction(to: $0) }
    }
}
