#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the system says to a call.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32
    var description: String { String(cString: strerror(code)) }
}

/// The files that an entry of `include` means.
enum IncludePattern {
    /// Whether text is a pattern and not the name of one file.
    static func isPattern(_ text: String) -> Bool { text.utf8.contains { $0 == 0x2A || $0 == 0x3F || $0 == 0x5B } }

    /// The paths that a pattern matches, sorted by their bytes; relative ones are looked for in `folder`.
    static func matches(_ pattern: String, in folder: String) -> [String] {
        // Blanks of the folder's own name that mean something in a pattern are escaped.
        var escaped = ""
        for character in folder {
            if "*?[]\\".contains(character) { escaped.append("\\") }
            escaped.append(character)
        }
        var found = glob_t()
        defer { globfree(&found) }
        let full = pattern.hasPrefix("/") ? pattern : "\(escaped)/\(pattern)"
        guard glob(full, GLOB_NOSORT, nil, &found) == 0 else { return [] }
        let paths = (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv[index].map { String(cString: $0) }
        }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The absolute path without symbolic links.
    static func resolve(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError(code: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The folder that a path is in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
