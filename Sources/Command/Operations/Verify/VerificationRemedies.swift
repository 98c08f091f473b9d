import DownloadStore
import FileSystem
import MediaLibrary

/// The changes to the state because of findings. Under the user's lock.
struct VerificationRemedies {
    let store: DownloadStore
    let library: LibraryFolder
    /// Whether changed files are downloaded again, and missing SHA-256 recorded.
    let repair: Bool

    /// Whether a finding may lead to a change, so that the lock is needed.
    static func isNeeded(for item: Verifier.Item, repair: Bool) -> Bool {
        !changes(for: item, repair: repair).0.isEmpty
    }

    /// Changes the state, and returns the result for each finding. Throws ``StoreError`` or ``LibraryError``.
    func apply(to items: [Verifier.Item]) throws -> [VerifiedFile] {
        var files: [VerifiedFile] = []
        var all: [DownloadChange] = []
        for item in items {
            let (changes, remedy) = Self.changes(for: item, repair: repair)
            var file = item.file
            if changes.isEmpty {
                file.remedy = remedy
            } else if try isStill(item) {
                file.remedy = remedy
                all += changes
            } else {
                file.remedy = .changedMeanwhile
            }
            files.append(file)
        }
        try store.write(Self.once(all))
        return files
    }

    /// A video and what belongs to it are downloaded again together, once: as a whole, if that is so for one of them.
    private static func once(_ changes: [DownloadChange]) -> [DownloadChange] {
        let whole = Set(changes.compactMap { $0.keepsFile ? nil : $0.fetched })
        var fetched: Set<DownloadID> = []
        return changes.filter { change in
            guard let id = change.fetched else { return true }
            if change.keepsFile, whole.contains(id) { return false }
            return fetched.insert(id).inserted
        }
    }

    /// Pure: the changes for a finding, and the remedy's name.
    static func changes(for item: Verifier.Item, repair: Bool) -> ([DownloadChange], VerifiedFile.Remedy) {
        if item.isUnmoved { return ([], .willBeMoved) }
        if item.isHeld, item.file.verdict == .missing, !repair { return ([], .held) }
        if item.isGone, item.file.verdict.isDamage { return ([], .goneFromCatalog) }
        return switch item.owner {
        case .download(let id, let file): changes(for: item, id, file, repair)
        case .sidecar(let sidecar, let mayBeFetched): changes(for: item, sidecar, mayBeFetched, repair)
        case .cover(let course, let chapter): changes(for: item, course, chapter, repair)
        }
    }

    private static func changes(
        for item: Verifier.Item, _ id: DownloadID, _ file: StoredFile, _ repair: Bool
    ) -> ([DownloadChange], VerifiedFile.Remedy) {
        switch item.file.verdict {
        case .missing: return ([.lose(id)], .willBeFetched)
        case .changed where repair, .unreadable where repair:
            guard let found = item.found else { return ([], .nothing) }
            // The user wants the present file replaced: its current facts are recorded, so that it can be proven when
            // its successor is complete, and is left alone if it has changed once more.
            var old = file
            old.size = found.size
            old.modified = found.modified
            old.sha256 = item.foundSHA256
            old.checksums = nil
            return ([.recorded(id, old), .refetch(id)], .willBeReplaced)
        case .unrecorded where repair:
            guard let sha256 = item.foundSHA256 else { return ([], .nothing) }
            var known = file
            known.sha256 = sha256
            return ([.recorded(id, known)], .recorded)
        case .intact, .unrecorded, .changed, .unreadable: return ([], .nothing)
        }
    }

    private static func changes(
        for item: Verifier.Item, _ sidecar: SidecarRecord, _ mayBeFetched: Bool, _ repair: Bool
    ) -> ([DownloadChange], VerifiedFile.Remedy) {
        switch (item.file.verdict, item.found) {
        case (.missing, _) where sidecar.kind == .stream:
            return ([.refetch(sidecar.download, keepsFile: sidecar.viewOfPart != nil)], .willBeFetched)
        case (.changed, let found?) where repair && sidecar.kind == .stream:
            var known = sidecar
            known.size = found.size
            known.modified = found.modified
            guard sidecar.viewOfPart != nil else {
                return ([.sidecar(.stored(known)), .refetch(sidecar.download)], .willBeReplaced)
            }
            // The other views stay as they are.
            return ([.sidecar(.replaced(known)), .refetch(sidecar.download, keepsFile: true)], .willBeReplaced)
        case (.missing, _):
            return mayBeFetched ? ([.sidecar(.lost(sidecar))], .willBeFetched) : ([], .needsRetry)
        case (.changed, let found?) where repair:
            guard mayBeFetched else { return ([], .needsRetry) }
            var known = sidecar
            known.size = found.size
            known.modified = found.modified
            return ([.sidecar(.replaced(known))], .willBeReplaced)
        default: return ([], .nothing)
        }
    }

    private static func changes(
        for item: Verifier.Item, _ course: String, _ chapter: String?, _ repair: Bool
    ) -> ([DownloadChange], VerifiedFile.Remedy) {
        switch (item.file.verdict, item.found) {
        case (.missing, _): return ([.coverLost(course: course, chapter: chapter, nil)], .willBeFetched)
        case (.changed, let found?) where repair:
            let old = StoredFile(
                path: item.file.path, size: found.size, modified: found.modified, sha256: nil, source: [])
            return ([.coverLost(course: course, chapter: chapter, old)], .willBeReplaced)
        default: return ([], .nothing)
        }
    }

    /// Whether the row and the file are unchanged since the check, which was made without the lock.
    private func isStill(_ item: Verifier.Item) throws -> Bool {
        if case .download(let id, let file) = item.owner {
            guard let now = try store.downloads.record(id), now.state == .finished, now.file == file else {
                return false
            }
        }
        if case .sidecar(let part, _) = item.owner, part.kind == .stream {
            guard try store.downloads.record(part.download)?.state == .finished else { return false }
        }
        let facts = try? library.files.facts(of: item.file.path)
        if item.file.verdict == .missing { return facts == nil }
        return facts == item.found
    }
}

extension DownloadChange {
    /// The finished download that has to be downloaded again because of it.
    fileprivate var fetched: DownloadID? {
        switch self {
        case .lose(let id), .refetch(let id, _): id
        default: nil
        }
    }

    /// Whether only something beside the file of the download is downloaded.
    fileprivate var keepsFile: Bool { if case .refetch(_, true) = self { true } else { false } }
}
