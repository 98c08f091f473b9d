/// A picture beside a catalog. The catalog and its whole folder may come from a stranger: nothing in it leads out of
/// it.
package struct LocalCover: Sendable, Hashable {
    /// The catalog's folder, absolute.
    package var folder: String
    /// The picture's path, from that folder.
    package var path: String

    package init(folder: String, path: String) {
        self.folder = folder
        self.path = path
    }
}
