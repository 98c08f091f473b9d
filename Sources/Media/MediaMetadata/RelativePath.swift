import TextFormats

/// Relative paths between files of a library.
enum RelativePath {
    /// From a folder to a file, both relative to the library.
    static func from(_ folder: String, to path: String) -> String {
        var here = parts(of: folder)[...]
        var there = parts(of: path)[...]
        while let one = here.first, one == there.first, there.count > 1 {
            here = here.dropFirst()
            there = there.dropFirst()
        }
        return (here.map { _ in ".." } + there).joined(separator: "/")
    }

    /// The same as a URL's path. Related: RFC 3986 §3.3.
    static func url(from folder: String, to path: String) -> String {
        // A colon in the first part would end a scheme, so it is encoded, too.
        PercentEncoding.encoded(path: from(folder, to: path))
    }

    /// The last part of a path.
    static func name(_ path: String) -> String { parts(of: path).last ?? "" }

    /// By bytes: a slash and a combining mark at the beginning of the next name are one `Character`.
    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}
