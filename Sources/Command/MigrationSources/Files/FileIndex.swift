import FileSystem

/// The paths of all files beneath a source's folder, at one time. A name is found however Unicode composes its letters.
package struct FileIndex {
    private var known: Set<String> = []

    /// Visits the folder once.
    package init(of place: SourceFolder) throws { try place.walk { known.insert($0) } }

    /// The path as it is on disk; nil if there is no such file.
    package func path(_ path: String) -> String? { known.firstIndex(of: path).map { known[$0] } }
}

extension SourceFolder {
    /// The first of these files that is there and belongs to the folder; the given file, if a file was given.
    ///
    /// - Parameter list: what the user says instead; it has to be there.
    package func list(_ list: String?, among usual: [String]) throws(SourceProblem) -> String? {
        if let list {
            guard let path = Self.relative(list), try facts(of: path) != nil else { throw .missing(path: shown(list)) }
            return try checked(path)
        }
        if let file { return try checked(file) }
        for name in usual where try facts(of: name) != nil { return try checked(name) }
        return nil
    }

    /// Longer than this no list is.
    private static let longestList: Int64 = 256 << 20

    /// A list that is text, as far as its beginning tells, and not longer than any.
    private func checked(_ path: String) throws(SourceProblem) -> String {
        guard try facts(of: path).map({ $0.size <= Self.longestList }) != false else {
            throw .badFormat(path: shown(path), .tooLarge)
        }
        guard try beginning(of: path, upTo: 4096)?.contains(0) != true else {
            throw .badFormat(path: shown(path), .notText)
        }
        return path
    }
}
