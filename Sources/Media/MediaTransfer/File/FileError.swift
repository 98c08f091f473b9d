#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The reason why a partial can't be used.
package enum FileError: Error, Sendable, Equatable {
    /// A system call failed.
    case system(operation: String, errno: Int32)
    case closed
    /// The file is shorter than its valid prefix.
    case shorter(than: Int64, size: Int64)
    /// Another file was given to ``PartialFile/reopen(descriptor:)``.
    case replaced

    /// The system's error number, or the closest one if no call failed.
    package var errno: Int32 {
        switch self {
        case .system(_, let errno): errno
        case .closed: EBADF
        case .shorter: EIO
        case .replaced: ESTALE
        }
    }

    /// The system's text for an error number, or plainer words.
    static func text(_ errno: Int32) -> String {
        if errno == EFBIG {
            return "the file system or the limit on file sizes (ulimit -f) doesn't allow a file of this size"
        }
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "error \(errno)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
