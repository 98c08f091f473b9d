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
    /// The exhausted resource, as a sentence without full stop, with a remedy.
    var exhausted: String {
        switch self {
        case .tooManyOpenFiles:
            "this process may open \(Self.descriptorLimit) files; raise the limit: ulimit -n"
        case .tooManyOpenFilesInSystem: "this computer has no file descriptors left"
        case .resourceTemporarilyUnavailable: "the limit on processes is reached; raise it: ulimit -u"
        case .noMemory: "this computer has no memory left"
        default: description
        }
    }

    private static var descriptorLimit: Int {
        Int(sysconf(Int32(_SC_OPEN_MAX)))
    }
}
