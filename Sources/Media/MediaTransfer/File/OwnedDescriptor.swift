#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file descriptor that is closed with its last reference, so never while somebody uses it.
final class OwnedDescriptor: Sendable {
    let raw: Int32

    init(_ raw: Int32) {
        self.raw = raw
    }

    deinit { close(raw) }

    /// The identity and length of the file.
    func facts() throws(FileError) -> (device: UInt64, inode: UInt64, size: Int64) {
        var facts = stat()
        guard fstat(raw, &facts) == 0 else { throw .system(operation: "fstat", errno: errno) }
        return (UInt64(truncatingIfNeeded: facts.st_dev), UInt64(facts.st_ino), Int64(facts.st_size))
    }

    func truncate(to length: Int64) throws(FileError) {
        while ftruncate(raw, off_t(length)) != 0 {
            guard errno == EINTR else { throw .system(operation: "ftruncate", errno: errno) }
        }
    }
}
