/// The paths of all files beneath a source's folder, at one time. A name is found however Unicode composes its letters.
package struct FileIndex {
    private var known: Set<String> = []

    /// Visits the folder once.
    package init(of place: SourcePlace) throws { try place.walk { known.insert($0) } }

    /// The path as it is on disk; nil if there is no such file.
    package func path(_ path: String) -> String? { known.firstIndex(of: path).map { known[$0] } }
}
