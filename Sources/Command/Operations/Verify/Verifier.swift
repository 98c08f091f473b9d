import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import SyncFacts

/// Compares the files of finished downloads with their records. Changes nothing.
///
/// A file is read once, in blocks, however many names it has in the library. The row of a suspicious file is read
/// again: a sync may have moved or replaced the file in the meantime.
struct Verifier {
    /// A video or sidecar, with all facts for the remedy.
    struct Item: Sendable {
        enum Owner: Sendable {
            case download(DownloadID, StoredFile)
            /// One that comes with the video itself can't be downloaded without it.
            case sidecar(SidecarRecord, mayBeFetched: Bool)
            case cover(course: String, chapter: String?)
        }

        var owner: Owner
        var file: VerifiedFile
        /// Whether it is no longer in its catalog.
        var isGone = false
        /// Whether so many others of its course are missing, too, that nothing is changed without `--repair`.
        var isHeld = false
        /// Whether it isn't at its path since its move is unfinished.
        var isUnmoved = false
        /// The facts of the present file; nil if it isn't proven.
        var found: FileFacts?
        /// The SHA-256 of the present file.
        var foundSHA256: Checksum?
    }

    /// The rows that are read at a time.
    private static let page = 500

    let store: DownloadStore
    let library: LibraryFolder
    /// Whether files without a recorded SHA-256 are read, so that it can be recorded.
    let readsUnrecorded: Bool
    /// The files of unfinished moves, by the paths of their rows, and why they couldn't be moved. They aren't missing.
    let unmoved: [String: LibraryError]
    let shouldStop: () -> Bool
    let report: (VerificationEvent) -> Void

    private(set) var result: Verification
    /// Files that aren't intact, for the remedy.
    private(set) var items: [Item] = []
    /// Files with several names that have been read already.
    private var hashed: [UInt64: HashedFile] = [:]
    private var lastReport = Date.distantPast

    init(
        store: DownloadStore, library: LibraryFolder, readsUnrecorded: Bool, unmoved: [String: LibraryError],
        shouldStop: @escaping () -> Bool, report: @escaping (VerificationEvent) -> Void
    ) {
        self.store = store
        self.library = library
        self.readsUnrecorded = readsUnrecorded
        self.unmoved = unmoved
        self.shouldStop = shouldStop
        self.report = report
        result = Verification(progress: .init(files: 0, allFiles: 0, bytes: 0, allBytes: 0))
    }

    /// Checks the files of these downloads, of `bytes` together. Throws ``StoreError`` or ``LibraryError``.
    mutating func run(_ ids: [DownloadID], bytes: ByteCount) throws {
        result.progress.allFiles = ids.count
        result.progress.allBytes = bytes.value
        for start in stride(from: 0, to: ids.count, by: Self.page) {
            let page = ids[start..<min(start + Self.page, ids.count)]
            let records = try store.downloads.records(Array(page))
            result.progress.allFiles -= page.count - records.count
            for record in records {
                if shouldStop() {
                    result.isStopped = true
                    return
                }
                do {
                    try check(record)
                } catch LibraryError.stopped {
                    result.isStopped = true
                    return
                }
                for sidecar in try store.sidecars.files(of: [record.id]) { try check(sidecar, of: record) }
                tell()
            }
        }
        tell(isLast: true)
    }

    mutating func checkCovers(courses: [CourseRecord], chapters: [ChapterRecord]) throws {
        for course in courses {
            guard let cover = course.coverFile else { continue }
            try checkCover(cover, course: course.id, chapter: nil, title: course.title)
        }
        for chapter in chapters {
            guard let cover = chapter.coverFile else { continue }
            try checkCover(cover, course: chapter.course, chapter: chapter.id, title: chapter.title)
        }
    }

    // MARK: one file

    private mutating func check(_ snapshot: DownloadRecord) throws {
        var record = snapshot
        let readBefore = ByteCount(result.progress.bytes)
        for _ in 0..<4 {
            guard record.state == .finished, let file = record.file else { break }
            let item = try judge(record, file)
            if item.file.verdict == .intact {
                note(item, size: (readBefore + ByteCount(snapshot.file?.size ?? 0)).value)
                return
            }
            // A sync may have changed it: the current row counts.
            guard let now = try store.downloads.record(record.id), now.file != record.file || now.state != record.state
            else {
                note(item, size: (readBefore + ByteCount(snapshot.file?.size ?? 0)).value)
                return
            }
            record = now
        }
        // It is being downloaded again, or was removed: there is nothing to compare any more.
        result.progress.files += 1
        result.progress.bytes = (readBefore + ByteCount(snapshot.file?.size ?? 0)).value
    }

    private mutating func judge(_ record: DownloadRecord, _ file: StoredFile) throws -> Item {
        var item = Item(
            owner: .download(record.id, file),
            file: VerifiedFile(
                reference: record.reference, path: file.path, size: file.size, sha256: file.sha256?.hex,
                checksums: file.checksums, verdict: .intact), isGone: record.isGone)
        do throws(LibraryError) {
            guard let facts = try library.files.facts(of: file.path) else {
                item.file.verdict = .missing
                return item
            }
            item.found = facts
            guard facts.size == file.size else {
                item.file.verdict = .changed(size: facts.size, sha256: nil)
                return item
            }
            guard file.sha256 != nil || file.checksums != nil else {
                let isTouched = file.modified != facts.modified
                item.file.verdict = .unrecorded(isTouched: isTouched)
                if readsUnrecorded, !isTouched, let now = try hash(file.path, facts), now.isStable {
                    item.foundSHA256 = now.sha256
                }
                return item
            }
            // Published checksums prove what has no SHA-256.
            let checksums = file.sha256 == nil ? file.checksums : nil
            guard let now = try hash(file.path, facts, comparingWith: checksums) else {
                item.file.verdict = .missing
                return item
            }
            item.found = now.facts
            item.foundSHA256 = now.sha256
            if now.sha256 != file.sha256 ?? now.sha256 || now.contradicted != nil || !now.isStable {
                item.file.verdict = .changed(size: now.facts.size, sha256: now.sha256.hex)
            }
        } catch {
            if case .stopped = error { throw error }
            item.file.verdict = .unreadable(error)
        }
        return item
    }

    private mutating func hash(
        _ path: String, _ facts: FileFacts, comparingWith checksums: PublishedChecksums? = nil
    ) throws(LibraryError) -> HashedFile? {
        if facts.links > 1, checksums == nil, let known = hashed[facts.inode], known.facts == facts { return known }
        let readBefore = ByteCount(result.progress.bytes)
        let stop = shouldStop
        var blocks: Int64 = -1
        var progress = result.progress
        var last = lastReport
        let tell = report
        let found = try library.files.hash(path, comparingWith: checksums) {
            // Checked before each mebibyte.
            blocks += 1
            // The sum is without the parts of videos.
            progress.bytes = min((readBefore + ByteCount(min(blocks << 20, facts.size))).value, progress.allBytes)
            let now = Date()
            if abs(now.timeIntervalSince(last)) >= 0.1 {
                last = now
                tell(.progress(progress))
            }
            return stop()
        }
        lastReport = last
        if facts.links > 1, let found, found.isStable { hashed[facts.inode] = found }
        return found
    }

    private mutating func check(_ sidecar: SidecarRecord, of record: DownloadRecord) throws {
        let file = StoredFile(sidecar)
        var (verdict, found) = presence(file)
        var sha256: Checksum?
        if verdict == .intact, let expected = sidecar.sha256, let facts = found {
            do throws(LibraryError) {
                let now = try hash(sidecar.path, facts)
                (found, sha256) = (now?.facts, now?.sha256)
                if now == nil { verdict = .missing }
                if let now, now.sha256 != expected || !now.isStable {
                    verdict = .changed(size: now.facts.size, sha256: now.sha256.hex)
                }
            } catch {
                if case .stopped = error { throw error }
                verdict = .unreadable(error)
            }
        }
        result.sidecars += 1
        note(
            Item(
                owner: .sidecar(
                    sidecar,
                    mayBeFetched: record.kind?.brings.contains(sidecar.kind) != true),
                file: VerifiedFile(
                    reference: record.reference, path: sidecar.path, role: .sidecar(sidecar.kind, name: sidecar.name),
                    size: sidecar.size, sha256: sidecar.sha256?.hex, verdict: verdict), isGone: record.isGone,
                found: found, foundSHA256: sha256))
    }

    private mutating func checkCover(_ cover: StoredFile, course: String, chapter: String?, title: String) throws {
        let (verdict, found) = presence(cover)
        result.sidecars += 1
        note(
            Item(
                owner: .cover(course: course, chapter: chapter),
                file: VerifiedFile(
                    reference: VideoReference(course: course, chapter: chapter, video: "", title: title),
                    path: cover.path, role: .cover, size: cover.size, verdict: verdict), found: found))
    }

    /// Whether it exists with that size.
    private func presence(_ file: StoredFile) -> (VerifiedFile.Verdict, FileFacts?) {
        do throws(LibraryError) {
            guard let facts = try library.files.facts(of: file.path) else { return (.missing, nil) }
            return (facts.size == file.size ? .intact : .changed(size: facts.size, sha256: nil), facts)
        } catch {
            return (.unreadable(error), nil)
        }
    }

    // MARK: telling

    private mutating func note(_ item: Item, size: Int64? = nil) {
        var item = item
        if item.file.verdict == .missing, let error = unmoved[item.file.path] {
            item.file.verdict = .unreadable(error)
            item.isUnmoved = true
        }
        if let size {
            result.progress.files += 1
            result.progress.bytes = size
        }
        if item.file.verdict == .intact {
            report(.checked(item.file))
        } else {
            items.append(item)
        }
    }

    private mutating func tell(isLast: Bool = false) {
        let now = Date()
        guard isLast || abs(now.timeIntervalSince(lastReport)) >= 0.1 else { return }
        lastReport = now
        report(.progress(result.progress))
    }
}

/// The events of `verify` while it runs.
package enum VerificationEvent: Sendable, Equatable {
    case progress(VerificationProgress)
    /// An intact file. Others are reported at the end, with their remedies.
    case checked(VerifiedFile)
}
