package import MediaLibrary

/// The comparison's queries about the files of a library.
package struct LibraryView {
    /// Whether a file certainly exists, by the bytes of its path; false means unknown.
    let isListed: (UnsafeRawBufferPointer) -> Bool
    /// Files whose paths are this one plus an extension of a video.
    let filesAtStem: (String) -> [(path: String, size: Int64)]
    let exists: (String) throws(LibraryError) -> Bool
    /// Whether there is a folder.
    let isFolder: (String) -> Bool

    init(
        isListed: @escaping (UnsafeRawBufferPointer) -> Bool = { _ in false },
        filesAtStem: @escaping (String) -> [(path: String, size: Int64)] = { _ in [] },
        isFolder: @escaping (String) -> Bool = { _ in false },
        exists: @escaping (String) throws(LibraryError) -> Bool
    ) {
        self.isFolder = isFolder
        self.isListed = isListed
        self.filesAtStem = filesAtStem
        self.exists = exists
    }

    /// For a library; nil if there is none yet.
    ///
    /// - Parameter moved: paths whose files are elsewhere because of an interrupted move. They count as existing.
    package init(_ listing: LibraryFileIndex?, moved: Set<String> = []) {
        self.init(
            isListed: { listing?.isListed($0) ?? false },
            filesAtStem: { listing?.videos(withStem: $0) ?? [] },
            isFolder: { listing?.hasFolder($0) ?? false },
            exists: { path throws(LibraryError) in
                if moved.contains(path) { return true }
                return try listing?.contains(path) ?? false
            })
    }
}
