package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes a system call, again if a signal interrupted it, and throws its error.
@discardableResult
package func systemCall(_ body: () -> CInt) throws(Errno) -> CInt {
    // openat2 returns EAGAIN when a rename elsewhere raced with it; more than a few in a row mean something else.
    for _ in 0..<64 {
        let result = body()
        if result != -1 { return result }
        let error = Errno(rawValue: errno)
        guard error == .interrupted || error == .resourceTemporarilyUnavailable else { throw error }
    }
    throw Errno(rawValue: errno)
}

extension Errno {
    /// The file system or the kernel doesn't know the call.
    package var isUnsupported: Bool { self == .invalidArgument || self == .noFunction || self == .notSupported }
}
