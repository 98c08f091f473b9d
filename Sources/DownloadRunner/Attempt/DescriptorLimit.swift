import DownloadStore
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many files, connections and pipes this process may have open.
package enum DescriptorLimit {
    /// More than any run needs, and few enough for programs that look at each number up to the limit when they start.
    private static let enough: rlim_t = 65_536

    /// Raises the limit to what this process may have, within ``enough``. What it starts inherits that.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, enough)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        setrlimit(resource, &limit)
    }

    /// Below this not even what the system's libraries open at the start can be opened, which some don't survive.
    private static let least: rlim_t = 32

    /// Why no sync can run with the limit as it is, or nil.
    static var refusal: Refusal? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < least else { return nil }
        return Refusal(
            condition: .stateUnusable,
            message: "this process may have only \(limit.rlim_cur) files open; raise that with: ulimit -n")
    }

    /// Whether nothing more can be opened.
    static var isUsedUp: Bool {
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard probe < 0 else {
            close(probe)
            return false
        }
        return isExhausted(Errno(rawValue: errno))
    }

    /// Whether an error says that nothing more can be opened.
    static func isExhausted(_ error: Errno?) -> Bool {
        error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem
    }

    /// How a turn ended, or ``outcome`` if it failed while nothing could be opened: libcurl and resolvers don't say so.
    static func judged(_ ended: JobOutcome) -> JobOutcome {
        switch ended {
        case .failed, .waits: isUsedUp ? outcome : ended
        default: ended
        }
    }

    /// What ends a run that can open nothing more.
    static var outcome: JobOutcome {
        var limit = rlimit()
        let number = getrlimit(resource, &limit) == 0 ? limit.rlim_cur : 0
        let message = """
            no more files can be opened: this process may have \(number) open at a time; raise that with ulimit -n, or run \
            with fewer --jobs
            """
        return .suspended(.descriptors, DownloadError(kind: .disk, message: message))
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
