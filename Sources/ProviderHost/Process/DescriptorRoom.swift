#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whether there are descriptors enough to start a process.
enum DescriptorRoom {
    /// Three pipes, copies of their ends and what a process is waited for with, and some to spare.
    private static let needed = 16

    /// Why a process can't be started now; nil if it can. swift-subprocess ends this program when descriptors run out
    /// between the first of its pipes and the last.
    static func lack() -> Errno? {
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
