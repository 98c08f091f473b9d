/// A checked path inside a library, split into folder and name.
package struct LibraryPath: Hashable {
    /// The folder of coursefetch's own files.
    package static let privateFolder = ".coursefetch"

    /// The folder's path; empty for the library itself.
    package let folder: String
    /// The last component.
    package let name: String

    /// The path as given.
    package var text: String { folder.isEmpty ? name : "\(folder)/\(name)" }

    /// Throws ``LibraryError/badPath(_:)`` for a path that is empty, absolute, contains `.` or `..`, or is private to
    /// coursefetch.
    package init(_ path: String) throws(LibraryError) {
        try Self.check(path)
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            folder = String(path[..<slash])
            name = String(path[path.utf8.index(after: slash)...])
        } else {
            folder = ""
            name = path
        }
    }

    /// Like ``init(_:)``, for a folder; the empty path is the library itself.
    package static func checkFolder(_ path: String) throws(LibraryError) {
        if !path.isEmpty { try check(path) }
    }

    /// The folders above `folder` and itself, outermost first, without the library itself.
    package static func chain(_ folder: String) -> [String] {
        var chain: [String] = []
        for index in folder.utf8.indices where folder.utf8[index] == UInt8(ascii: "/") {
            chain.append(String(folder[..<index]))
        }
        if !folder.isEmpty { chain.append(folder) }
        return chain
    }

    /// `a/b.mp4`, `a/b [2].mp4`, `a/b [3].mp4` …
    static func numbered(_ path: String, _ attempt: Int) -> String {
        guard attempt > 1 else { return path }
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let name = path[nameStart...]
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let suffix = " [\(attempt)]" + name[dot...]
        let stem = NameCleaning.cut(String(name[..<dot]), to: max(LibraryName.limit - suffix.utf8.count, 1))
        return path[..<nameStart] + stem + suffix
    }

    private static func check(_ path: String) throws(LibraryError) {
        guard !path.utf8.contains(0) else { throw .badPath(path) }
        for component in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        where component.isEmpty || component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) {
            throw .badPath(path)
        }
        guard path != privateFolder, !path.hasPrefix(privateFolder + "/") else { throw .badPath(path) }
    }
}
