package import YAMLSource

/// What the catalogs of one run say is to be had: courses in the order in which they are written, those of an included
/// file behind those of the file that includes it.
package struct Catalog: Sendable {
    /// The files that were read, in the order of reading.
    package internal(set) var files: [CatalogFile] = []
    /// All courses; ids differ.
    package internal(set) var courses: [Course] = []
    /// What deserves a look but stops nothing.
    package internal(set) var warnings: [Diagnostic] = []
    /// Videos that are written in the files, those of `discover` courses not counted.
    package internal(set) var videoCount = 0
}

/// A catalog file. A course belongs to the file that it is written in.
package struct CatalogFile: Sendable, Hashable {
    /// What the state knows it by: the absolute path, symbolic links resolved; for what isn't a file, what stands for it.
    package let path: String
    /// The path as messages show it: as given on the command line, or relative to that.
    package let shownPath: String
    /// The file that its text is in; another one than ``path`` for what isn't a file of the person.
    package let contentPath: String
    /// The catalog's `name`.
    package internal(set) var name: String?

    /// Whether it is a file of the person, which may change.
    package var isFile: Bool { path == contentPath }
}
