#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A write to a plugin that has closed its standard input must not end this process.
enum BrokenPipes {
    /// Ignores SIGPIPE for the whole process, once. Plugins start with the default again.
    static let ignore: Void = {
        signal(SIGPIPE, SIG_IGN)
    }()
}
