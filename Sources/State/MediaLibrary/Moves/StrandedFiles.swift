import FileSystem

/// Leftovers of moves and copies after a kill, or after the return to an older state. Other files there aren't ours.
/// Paths are relative to the library.
package struct StrandedFiles: Sendable {
    private let folders: FolderTree
    private let moving: PrivateFolder

    init(folders: FolderTree, moving: PrivateFolder) {
        self.folders = folders
        self.moving = moving
    }

    /// Complete files in `moving/` that belong to none of these plans: somebody restored an older state.
    package func files(besides plans: [MovePlan]) throws(LibraryError) -> [String] {
        let known = Set(plans.map(\.id))
        return try moving.names()
            .filter { name in
                !MoveMarker.isMark(name) && MovePlan.planID(of: name).map { !known.contains($0) } ?? false
            }
            .sorted().map(moving.path)
    }

    /// The size of such a file; 0 if it is gone.
    package func size(of path: String) throws(LibraryError) -> Int64 {
        try moving.facts(of: LibraryPathParts.split(path).name)?.size ?? 0
    }

    /// Removes such a file.
    package func remove(_ path: String) throws(LibraryError) { try moving.remove(LibraryPathParts.split(path).name) }

    /// Removes an incomplete copy, by the name that no file of a library can have.
    package func removeUnfinishedCopy(_ path: String) throws(LibraryError) {
        let (above, name) = LibraryPathParts.split(path)
        guard StagingName.isOne(path), let folder = try folders.folder(above) else { return }
        do { try folder.remove(name) } catch { throw .system(.remove, path: path, error) }
    }
}
