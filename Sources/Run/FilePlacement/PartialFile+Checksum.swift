package import FileSystem
package import MediaTransfer

extension PartialFile {
    /// The checksum of the complete file, once it is there; nil if none is computed.
    package func checksum() async throws(FileError) -> Checksum? { try await sha256().map { Checksum($0) } }
}
