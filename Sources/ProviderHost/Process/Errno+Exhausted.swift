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

extension Errno {
    /// What is used up, as a sentence without full stop, and what the person can do.
    var exhausted: String {
        switch self {
        case .tooManyOpenFiles:
            "this process may have no more than \(Self.descriptorLimit) files open; raise that with: ulimit -n"
        case .tooManyOpenFilesInSystem: "this machine has no file descriptors left"
        case .resourceTemporarilyUnavailable: "no more processes may be started; see: ulimit -u"
        case .noMemory: "this machine has no memory left"
        default: description
        }
    }

    private static var descriptorLimit: Int {
        Int(sysconf(Int32(_SC_OPEN_MAX)))
    }
}
