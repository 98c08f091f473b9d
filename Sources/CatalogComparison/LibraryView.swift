package import MediaLibrary

/// What comparing asks about the files of a library.
package struct LibraryView {
    /// Whether a file is certainly there, told from the bytes of its path; false says nothing.
    let isListed: (UnsafeRawBufferPointer) -> Bool
    /// Files whose paths are this one and an extension of a video's.
    let standing: (String) -> [(path: String, size: Int64)]
    /// Whether a file is there.
    let exists: (String) throws(LibraryError) -> Bool

    init(
        isListed: @escaping (UnsafeRawBufferPointer) -> Bool = { _ in false },
        standing: @escaping (String) -> [(path: String, size: Int64)] = { _ in [] },
        exists: @escaping (String) throws(LibraryError) -> Bool
    ) {
        self.isListed = isListed
        self.standing = standing
        self.exists = exists
    }

    /// Of a library; nil if there is none yet.
    ///
    /// - Parameter moved: paths whose files are somewhere else, since an interrupted run had begun to move them. They count
    ///   as there.
    package init(_ listing: LibraryListing?, moved: Set<String> = []) {
        self.init(
            isListed: { listing?.isListed($0) ?? false },
            standing: { listing?.videos(withStem: $0) ?? [] },
            exists: { path throws(LibraryError) in
                if moved.contains(path) { return true }
                return try listing?.contains(path) ?? false
            })
    }
}
