import ProviderKit

/// Reads a folder and those in it, several at a time and within bounds.
struct FolderWalk: Sendable {
    struct Entries: Sendable {
        var folders: [String] = []
        /// The videos. Their paths end with their names.
        var files: [FolderFile] = []
        /// Files that may belong to one of them.
        var beside: [FolderFile] = []

        var isEmpty: Bool { folders.isEmpty && files.isEmpty && beside.isEmpty }

        /// Adds a file if it is a video, or may belong to one.
        mutating func add(_ file: FolderFile, _ media: MediaFiles) {
            guard let name = file.path.last else { return }
            if media.includes(name) {
                files.append(file)
            } else if media.mayBelong(name) {
                beside.append(file)
            }
        }

        /// The same entries of the folder at `path`.
        func beneath(_ path: [String]) -> Entries {
            func moved(_ file: FolderFile) -> FolderFile {
                FolderFile(path: path + file.path, size: file.size, modified: file.modified)
            }
            return Entries(folders: folders, files: files.map(moved), beside: beside.map(moved))
        }
    }

    private static let folderBound = 5000
    private static let fileBound = 200_000
    private static let inFlight = 6

    /// How deep folders are followed; 0 is the course's own folder only.
    let depth: Int

    /// Reads the parameter `depth`.
    init(_ parameters: [String: JSONValue]) { depth = Int(parameters["depth"]?.int ?? 10) }

    /// All files; no folders. `read` gets the names from the course's folder down. A subfolder that may not be read, or
    /// has just gone, is left out with a warning.
    func files(
        _ read: @escaping @Sendable ([String]) async -> Result<Entries, ProviderError>
    ) async throws(ProviderError) -> Entries {
        let result = await withTaskGroup(of: (path: [String], entries: Result<Entries, ProviderError>).self) { group in
            var all = Entries()
            var waiting: [[String]] = [[]]
            var (running, found) = (0, 1)
            while running > 0 || !waiting.isEmpty {
                while running < Self.inFlight, let path = waiting.popLast() {
                    running += 1
                    group.addTask { (path, await read(path)) }
                }
                guard let (path, entries) = await group.next() else { break }
                running -= 1
                switch entries {
                case .success(let entries):
                    all.files += entries.files
                    all.beside += entries.beside
                    guard path.count < depth else { continue }
                    waiting += entries.folders.map { path + [$0] }
                    found += entries.folders.count
                case .failure(let error) where !path.isEmpty && [.forbidden, .notFound, .gone].contains(error.kind):
                    HostLog.write(.warning, "left out the folder \(path.joined(separator: "/")): \(error.message)")
                case .failure(let error):
                    group.cancelAll()
                    return Result<Entries, ProviderError>.failure(error)
                }
                guard found <= Self.folderBound, all.files.count + all.beside.count <= Self.fileBound else {
                    group.cancelAll()
                    return .failure(
                        ProviderError(
                            .invalidParameters,
                            found > Self.folderBound
                                ? "there are more than \(Self.folderBound) folders: lower depth"
                                : "there are more than \(Self.fileBound) files: narrow files",
                            parameter: found > Self.folderBound ? "depth" : "files"))
                }
            }
            return .success(all)
        }
        return try result.get()
    }
}
