import FileSystem

/// What a kill, or a state that went back to an older one, has left of moves and copies.
extension LibraryFolder {
    /// Whole files in `moving/` that belong to another plan than `plan`: somebody went back to an older state. Paths relative
    /// to the library. Whatever else somebody put there isn't ours.
    package func strandedMoves(besides plan: MovePlan?) throws(LibraryError) -> [String] {
        let folder = "\(LibraryPath.privateFolder)/moving"
        return try names(in: movingHandle, path: folder)
            .filter { name in
                let owner = MovePlan.planID(of: name)
                return !MoveMark.isMark(name) && owner != nil && owner != plan?.id
            }
            .sorted().map { "\(folder)/\($0)" }
    }

    /// The size of a stranded file; 0 if it is gone.
    package func strandedSize(_ path: String) throws(LibraryError) -> Int64 {
        do {
            guard case .file(let facts)? = try movingHandle.entry(LibraryPathParts.split(path).name) else { return 0 }
            return facts.size
        } catch {
            throw .system(.inspect, path: path, error)
        }
    }

    /// Removes a stranded file.
    package func removeStranded(_ path: String) throws(LibraryError) {
        do { try movingHandle.remove(LibraryPathParts.split(path).name) } catch {
            throw .system(.remove, path: path, error)
        }
    }

    /// Removes a copy that was cut short, by the name that no file of a library can have.
    package func removeUnfinishedCopy(_ path: String) throws(LibraryError) {
        let (above, name) = LibraryPathParts.split(path)
        guard StagingName.isOne(path), let folder = try folder(above) else { return }
        do { try folder.remove(name) } catch { throw .system(.remove, path: path, error) }
    }
}
