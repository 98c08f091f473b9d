#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The encoding of host names passed to libcurl.
enum HostNameEncoding {
    /// Made once and never freed: the threads that use it come and go.
    nonisolated(unsafe) private static let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

    /// Makes this thread encode hosts in UTF-8: libidn2 reads them in the encoding of its locale, which is ASCII in a
    /// program that sets none. Nothing else of the locale changes.
    static func useUTF8() {
        if let locale { uselocale(locale) }
    }
}
