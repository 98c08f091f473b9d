package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The limit on this process's open files, connections and pipes.
package enum DescriptorLimit {
    /// More than any run needs, and few enough for programs that check each number up to the limit when they start.
    private static let enough = 65_536

    /// Raises the limit to the allowed maximum, within ``enough``. Child processes inherit it.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, rlim_t(enough))
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        setrlimit(resource, &limit)
    }

    /// The current limit; nil if unknown.
    package static var current: Int? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
    }

    /// Whether nothing more can be opened.
    package static var isUsedUp: Bool {
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard probe < 0 else {
            close(probe)
            return false
        }
        return isExhausted(Errno(rawValue: errno))
    }

    /// Whether an error means that nothing more can be opened.
    package static func isExhausted(_ error: Errno?) -> Bool {
        error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
