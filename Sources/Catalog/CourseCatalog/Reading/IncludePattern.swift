#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The error of a system call.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32
    var description: String { String(cString: strerror(code)) }
}

/// The files of an entry in `include`.
enum IncludePattern {
    /// Whether text is a pattern and not the name of one file.
    static func isPattern(_ text: some StringProtocol) -> Bool {
        text.utf8.contains { $0 == 0x2A || $0 == 0x3F || $0 == 0x5B }
    }

    /// The absolute path without symbolic links.
    static func resolve(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError(code: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
