import CPlatform
package import FileSystem
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A partial that is open for reading and writing at explicit offsets.
package final class OpenPartial: Sendable {
    package let name: PartialName
    /// Valid for as long as this object lives.
    package let descriptor: FileDescriptor
    /// The size at the time of opening.
    package let size: Int64

    init(name: PartialName, owning descriptor: CInt, size: Int64) {
        self.name = name
        self.descriptor = FileDescriptor(rawValue: descriptor)
        self.size = size
    }

    deinit { close(descriptor.rawValue) }

    /// The current size and time.
    package func facts() throws(LibraryError) -> FileFacts {
        do {
            return try FileFacts(descriptor: descriptor.rawValue)
        } catch {
            throw .system(.inspect, path: name.path, error)
        }
    }

    /// A descriptor of the same open file for the caller to own and close.
    package func release() throws(LibraryError) -> CInt {
        let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .system(.open, path: name.path, Errno(rawValue: errno)) }
        return copy
    }

    /// Truncates the file, or extends it with zeros. Not durable by itself.
    package func truncate(to size: Int64) throws(LibraryError) {
        do {
            try systemCall { ftruncate(descriptor.rawValue, off_t(size)) }
        } catch {
            throw .system(.write, path: name.path, error)
        }
    }

    /// Writes bytes from the beginning on. Not durable by itself.
    package func write(_ bytes: [UInt8]) throws(LibraryError) {
        do {
            try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
        } catch {
            throw .system(.write, path: name.path, error as? Errno ?? .ioError)
        }
    }

    /// Starts writing everything to disk and returns at once; makes a later ``flush()`` shorter.
    package func startWriteback() {
        cf_start_writeback(descriptor.rawValue, 0, 0)
    }

    /// The content and the size are durable on return. If it throws, written data may be lost, and another try proves
    /// nothing: drop the partial.
    package func flush() throws(LibraryError) {
        do {
            try systemCall { cf_flush_data(descriptor.rawValue) }
        } catch {
            throw .system(.flush, path: name.path, error)
        }
    }
}
