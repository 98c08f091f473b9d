/// "Course/01 Chapter/02 Title" → its folder and its name.
package enum LibraryPathParts {
    /// The folder is empty for a file in the library itself.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}
