package import FileSystem
package import MediaTransfer

extension PartialFile {
    /// The checksum of all of it, once that is there; nil if none is made.
    package func checksum() async throws(FileError) -> Checksum? { try await sha256().map { Checksum($0) } }
}
