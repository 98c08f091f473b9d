import FileSystem

/// Files that a kill, or a state that went back to an older one, has left of moves and copies. Whatever else somebody put
/// there isn't ours. Paths are relative to the library.
package struct StrandedFiles: Sendable {
    private let folders: FolderTree
    private let moving: PrivateFolder

    init(folders: FolderTree, moving: PrivateFolder) {
        self.folders = folders
        self.moving = moving
    }

    /// Whole files in `moving/` that belong to another plan than `plan`: somebody went back to an older state.
    package func files(besides plan: MovePlan?) throws(LibraryError) -> [String] {
        try moving.names()
            .filter { name in
                let owner = MovePlan.planID(of: name)
                return !MoveMark.isMark(name) && owner != nil && owner != plan?.id
            }
            .sorted().map(moving.path)
    }

    /// The size of such a file; 0 if it is gone.
    package func size(of path: String) throws(LibraryError) -> Int64 {
        try moving.facts(of: LibraryPathParts.split(path).name)?.size ?? 0
    }

    /// Removes such a file.
    package func remove(_ path: String) throws(LibraryError) { try moving.remove(LibraryPathParts.split(path).name) }

    /// Removes a copy that was cut short, by the name that no file of a library can have.
    package func removeUnfinishedCopy(_ path: String) throws(LibraryError) {
        let (above, name) = LibraryPathParts.split(path)
        guard StagingName.isOne(path), let folder = try folders.folder(above) else { return }
        do { try folder.remove(name) } catch { throw .system(.remove, path: path, error) }
    }
}
