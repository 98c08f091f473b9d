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

    /// The path of an entry that is taken as a name.
    static func path(_ pattern: String, in folder: String) -> String {
        pattern.hasPrefix("/") ? pattern : folder == "/" ? "/\(pattern)" : "\(folder)/\(pattern)"
    }

    /// The paths that an entry means; nil if it means none, or too many.
    static func paths(_ pattern: String, in folder: String) -> [String]? {
        let path = path(pattern, in: folder)
        guard isPattern(pattern), !exists(path) else { return [path] }
        var walk = PatternWalk()
        let paths = walk.matches(pattern, in: folder)
        return walk.isOver || paths.isEmpty || paths.count > CatalogBounds.files ? nil : paths
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
