#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes bytes to a descriptor, whole.
package enum DescriptorWriter {
    /// Writes all of the bytes, waiting while the reader is slow. False if the reader has closed or the disk is full.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        failure(writing: bytes, to: descriptor) == nil
    }

    /// Like ``write(_:to:)``; returns the errno of the failure, nil for success.
    package static func failure(writing bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[offset...]))
                if count > 0 {
                    offset += count
                } else if errno == EAGAIN {
                    // Another process made the descriptor non-blocking, as happens with a shared terminal.
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
