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
    /// From the library's root.
    private let path: String
    private let file: OpenFile
    /// The size at the time of opening.
    package let size: Int64

    init(name: PartialName, path: String, file: OpenFile, size: Int64) {
        self.name = name
        self.path = path
        self.file = file
        self.size = size
    }

    /// Valid for as long as this object lives.
    package var descriptor: FileDescriptor { FileDescriptor(rawValue: file.descriptor) }

    /// The current size and time.
    package func facts() throws(LibraryError) -> FileFacts {
        do {
            return try file.facts()
        } catch {
            throw .system(.inspect, path: path, error)
        }
    }

    /// A descriptor of the same open file for the caller to own and close.
    package func release() throws(LibraryError) -> CInt {
        let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .system(.open, path: path, Errno(rawValue: errno)) }
        return copy
    }

    /// Truncates the file, or extends it with zeros. Not durable by itself.
    package func truncate(to size: Int64) throws(LibraryError) {
        do {
            try file.truncate(to: size)
        } catch {
            throw .system(.write, path: path, error)
        }
    }

    /// Writes bytes from the beginning on. Not durable by itself.
    package func write(_ bytes: [UInt8]) throws(LibraryError) {
        do {
            try bytes.withUnsafeBufferPointer { all throws(Errno) in try file.write(UnsafeRawBufferPointer(all)) }
        } catch {
            throw .system(.write, path: path, error)
        }
    }

    /// Writes bytes at an offset. Not durable by itself.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LibraryError) {
        do { try file.write(bytes, at: offset) } catch { throw .system(.write, path: path, error) }
    }

    /// Whether it has these bytes at an offset.
    package func has(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LibraryError) -> Bool {
        do {
            guard let there = try file.bytes(offset..<offset + Int64(bytes.count)) else { return false }
            return there.withUnsafeBytes { $0.elementsEqual(bytes) }
        } catch {
            throw .system(.read, path: path, error)
        }
    }

    /// Sets the time of the last change, in nanoseconds since 1970; some file systems can't.
    package func setTime(_ nanoseconds: Int64) { try? file.setTime(nanoseconds) }

    /// The SHA-256 of what was flushed, read from the disk: what the kernel has of it in memory is dropped before, as
    /// far as it does that.
    ///
    /// - Parameter body: gets the number of bytes that were read, again and again.
    package func digestOnDisk(
        shouldStop: () -> Bool, _ body: (Int64) -> Void
    ) throws(LibraryError) -> Checksum {
        #if os(Linux)
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
        var count: Int64 = 0
        do {
            return try FileCopy.digest(of: file, shouldStop: shouldStop) { block throws(Errno) in
                count += Int64(block.count)
                body(count)
            }
        } catch {
            throw error == .canceled ? .stopped : .system(.read, path: path, error)
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
            try file.flushData()
        } catch {
            throw .system(.flush, path: path, error)
        }
    }
}
