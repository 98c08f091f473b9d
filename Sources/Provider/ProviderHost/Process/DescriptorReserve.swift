#if canImport(System)
package import System
#else
package import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Checks the number of free descriptors before a process is started.
package enum DescriptorReserve {
    /// Three pipes, copies of their ends, the descriptor to wait for the process, and a reserve.
    private static let needed = 16

    /// The reason why a process can't be started now; nil if it can. swift-subprocess ends this program if descriptors
    /// run out while it makes its pipes.
    package static func lack() -> Errno? {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < needed {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return Errno(rawValue: errno) }
            opened.append(descriptor)
        }
        return nil
    }
}
