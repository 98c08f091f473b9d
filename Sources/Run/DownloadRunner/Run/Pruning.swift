package import CatalogComparison
package import DownloadStore
import FilePlacement
package import MediaLibrary
package import SyncFacts

/// Removes downloads that are no longer in their catalogs: files, sidecars, partials, and then the rows. After them
/// covers, folders and names of empty chapters and courses.
///
/// Files are removed where the rows have them now: a run moves files after its plan is made.
///
/// Each removal is independent: a download that can't be removed keeps its row, and the next run tries again.
package struct Pruning: Sendable {
    package struct Outcome: Sendable {
        package var removed: [VideoReference] = []
        /// The downloads that stay, with reasons.
        package var warnings: [(SyncWarning.Pruning, VideoReference?)] = []
        /// Whether a removal failed.
        package var hasFailed = false
        /// The reason for stopping early.
        package var refusal: Refusal?
    }

    /// Rows that are deleted in one transaction, after the folders of their files are flushed.
    private static let groupLimit = 256

    let store: DownloadStore
    let library: LibraryFolder

    package init(store: DownloadStore, library: LibraryFolder) {
        self.store = store
        self.library = library
    }

    package func run(_ gone: [Reconciliation.Gone], _ unlisted: UnlistedFolders) -> Outcome {
        var outcome = Outcome()
        // A missing file counts as removed, unless the disk has disappeared.
        if let loss = library.loss() {
            outcome.refusal = Refusal(loss)
            return outcome
        }
        do throws(StoreError) {
            var rest = gone[...]
            while !rest.isEmpty {
                try remove(rest.prefix(Self.groupLimit), &outcome)
                rest = rest.dropFirst(Self.groupLimit)
            }
            try removeEmpty(unlisted, &outcome)
        } catch {
            outcome.refusal = Refusal(error)
        }
        return outcome
    }

    private func remove(
        _ group: ArraySlice<Reconciliation.Gone>, _ outcome: inout Outcome
    ) throws(StoreError) {
        var bare: [Reconciliation.Gone] = []
        var paths: [String] = []
        let rows = Dictionary(
            try store.downloads.records(group.map(\.id)).map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        for item in group {
            guard let row = rows[item.id] else { continue }
            let sidecars = try store.sidecars.files(of: [item.id])
            do throws(LibraryError) {
                guard try removeFiles(of: row, reference: item.reference, sidecars: sidecars, paths: &paths, &outcome)
                else { continue }
                bare.append(item)
            } catch {
                fail(error, item.reference, &outcome)
            }
        }
        do throws(LibraryError) {
            try library.folders.flushNames(of: paths)
        } catch {
            // At worst they come back, and the rows still know them.
            for item in bare { fail(error, item.reference, &outcome) }
            return
        }
        try store.downloads.delete(bare.map(\.id))
        outcome.removed += bare.map(\.reference)
    }

    /// False if the file in the video's place isn't the recorded one: it stays, and so does the row.
    private func removeFiles(
        of row: DownloadRecord, reference: VideoReference, sidecars: [SidecarRecord], paths: inout [String],
        _ outcome: inout Outcome
    ) throws(LibraryError) -> Bool {
        if let file = row.file {
            if case .notOurs = try library.files.remove(file.path, record: FileRecord(file)) {
                outcome.warnings.append((.notOurs(path: file.path), reference))
                return false
            }
            paths.append(file.path)
        }
        for sidecar in sidecars {
            let record = FileRecord(size: sidecar.size, modified: sidecar.modified, sha256: nil)
            _ = try library.files.remove(sidecar.path, record: record)
            paths.append(sidecar.path)
        }
        for name in DownloadKind.partials(of: row.id) { try library.partials.remove(name) }
        return true
    }

    private func fail(_ error: LibraryError, _ reference: VideoReference?, _ outcome: inout Outcome) {
        outcome.hasFailed = true
        outcome.warnings.append((.failed(error), reference))
    }

    // MARK: courses and chapters

    /// Chapters first: their folders are inside those of their courses.
    private func removeEmpty(_ unlisted: UnlistedFolders, _ outcome: inout Outcome) throws(StoreError) {
        guard !unlisted.isEmpty else { return }
        let used = try store.catalogs.used()
        let chapters = unlisted.chapters.isEmpty ? [] : try store.catalogs.chapters()
        for old in unlisted.chapters where used[old.course]?.contains(old.id) != true {
            guard let chapter = chapters.first(where: { $0.course == old.course && $0.id == old.id }) else { continue }
            guard removeCover(chapter.coverFile, chapter.folder, &outcome) else { continue }
            try store.catalogs.deleteChapter(chapter.id, of: chapter.course)
        }
        let courses = unlisted.courses.isEmpty ? [:] : try store.catalogs.courses()
        for old in unlisted.courses where used[old.id] == nil {
            guard let course = courses[old.id] else { continue }
            guard removeCover(course.coverFile, course.folder, &outcome) else { continue }
            try store.catalogs.deleteCourse(course.id)
        }
    }

    /// Removes a cover, and the folder if it is empty then. False if the cover can't be removed.
    private func removeCover(_ cover: StoredFile?, _ folder: String, _ outcome: inout Outcome) -> Bool {
        do throws(LibraryError) {
            if let cover {
                _ = try library.files.remove(cover.path, record: FileRecord(cover))
                try library.folders.flushNames(of: [cover.path])
            }
            library.folders.removeEmpty(from: folder)
            return true
        } catch {
            fail(error, nil, &outcome)
            return false
        }
    }
}
