import TextFormats

/// Relative paths between files of a library.
enum RelativePath {
    /// From a folder to a file, both relative to the library.
    static func from(_ folder: String, to path: String) -> String {
        var here = folder.split(separator: "/")[...]
        var there = path.split(separator: "/")[...]
        while let one = here.first, one == there.first, there.count > 1 {
            here = here.dropFirst()
            there = there.dropFirst()
        }
        return (here.map { _ in ".." } + there.map(String.init)).joined(separator: "/")
    }

    /// The same as a URL's path. Related: RFC 3986 §3.3.
    static func url(from folder: String, to path: String) -> String {
        // A colon in the first part would end a scheme, so it is encoded, too.
        PercentEncoding.encoded(path: from(folder, to: path))
    }
}
