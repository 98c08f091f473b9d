#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Protects this process from writes to a plugin that has closed its standard input.
package enum BrokenPipes {
    /// Ignores SIGPIPE for the whole process, once. Plugins start with the default again.
    package static let ignore: Void = {
        signal(SIGPIPE, SIG_IGN)
    }()
}
