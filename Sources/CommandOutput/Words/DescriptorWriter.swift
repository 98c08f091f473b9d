#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes bytes to a descriptor, whole.
package enum DescriptorWriter {
    /// Writes all of the bytes, waiting where the reader is slow. False if the reader is gone or the disk full.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        failure(writing: bytes, to: descriptor) == nil
    }

    /// As ``write(_:to:)``; the number of the error that kept it from writing all of them, nil for none.
    package static func failure(writing bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[offset...]))
                if count > 0 {
                    offset += count
                } else if errno == EAGAIN {
                    // Somebody made the descriptor non-blocking, as a shared terminal may be.
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&waiting, 1, 1000)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
