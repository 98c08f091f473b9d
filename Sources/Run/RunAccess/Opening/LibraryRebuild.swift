import DownloadJobs
package import DownloadStore
import FilePlacement
import FileSystem
import Foundation
package import MediaLibrary

/// Restores a state's knowledge of its library from the list in that library (``FileList``). Asks no provider.
///
/// Anybody who can write to the library may have written the list: a line counts only if it leads to a file in the
/// library with the line's size and time, or else its size and SHA-256.
package struct LibraryRebuild {
    package struct Result: Equatable, Sendable {
        /// Videos that became finished.
        package var restored = 0
        /// Lines whose files are missing or different, or that are invalid.
        package var leftOut = 0
        /// The list is a newer version's: nothing was read.
        package var isNewer = false
    }

    let store: DownloadStore
    let library: LibraryFolder

    package init(store: DownloadStore, library: LibraryFolder) {
        self.store = store
        self.library = library
    }

    /// Throws ``StoreError`` or ``LibraryError``.
    package func run(shouldStop: () -> Bool = { false }) throws -> Result {
        // One copy of each line, in the order of the list; nil: it doesn't count.
        var lines: [ProvenListEntry?] = []
        var latest: [FileListKey: Int] = [:]
        let reading = try FileList<FileListEntry>(of: library).read(shouldStop: shouldStop) { record in
            let record = record.normalized
            // Of a copy as a whole: its list of checksums.
            guard !record.course.isEmpty else { return }
            if let older = latest.updateValue(lines.count, forKey: FileListKey(record)) { lines[older] = nil }
            lines.append(ProvenListEntry(record: record, file: nil))
        }
        latest = [:]
        var result = Result(leftOut: reading.damaged, isNewer: reading.isNewer)
        var taken: Set<String> = []
        var finished: Set<FileListKey> = []
        // With their paths: a newer copy of the library may have replaced their files.
        var changed: [FileListKey: String] = [:]
        // Courses, and chapters with theirs, of which there is a video.
        var used: Set<[String?]> = []
        let listing = LibraryFileIndex(of: library)
        try store.downloads.scan { row in
            let course = row.string(.course)
            used.formUnion([[course], [course, row.string(.chapter)]])
            // The path in a row whose file is missing may be older than a move.
            guard let path = row.string(.path), (try? listing.contains(path)) != false else { return }
            taken.insert(LibraryName.key(path))
            var known = FileListEntry(course: row.string(.course) ?? "", title: "")
            known.video = row.string(.video)
            guard row.state == .finished else { return }
            let key = FileListKey(known)
            if isAsRecorded(path, row) { finished.insert(key) } else { changed[key] = LibraryName.key(path) }
        }
        // Of two lines for one file the newer one counts.
        for index in lines.indices.reversed() {
            guard let record = lines[index]?.record else { continue }
            if shouldStop() { throw LibraryError.stopped }
            lines[index] = nil
            if finished.contains(FileListKey(record)) { continue }
            let found = try record.video == nil ? folder(record, shouldStop) : video(record, shouldStop)
            let place = LibraryName.key(found?.file?.path ?? "")
            if let found,
                found.record.video == nil || changed[FileListKey(record)] == place
                    || taken.insert(place).inserted
            {
                lines[index] = found
                if found.record.video != nil {
                    used.formUnion([[found.record.course], [found.record.course, found.record.chapter]])
                }
            } else {
                result.leftOut += 1
            }
        }
        try leaveOutRemoved(&lines, besides: used)
        result.restored = try store.fileList.restore(lines.lazy.compactMap(\.self))
        let known = Set(try store.metadata.files().map(\.path))
        try store.metadata.record(lines.flatMap { $0?.metadata ?? [] }.filter { !known.contains($0.path) })
        return result
    }

    /// Leaves out courses and chapters that have no video, cover or folder any more.
    private func leaveOutRemoved(_ lines: inout [ProvenListEntry?], besides used: Set<[String?]>) throws {
        for index in lines.indices {
            guard let line = lines[index], line.record.video == nil, line.file == nil else { continue }
            let key = line.record.chapter.map { [line.record.course, $0] } ?? [line.record.course]
            // One that was removed since keeps its line: nobody may meet it again, nor its number.
            guard !used.contains(key) else { continue }
            if try !library.folders.exists(line.record.folder ?? "") { lines[index] = nil }
        }
    }

    private func isAsRecorded(_ path: String, _ row: ScannedDownload) -> Bool {
        guard let facts = (try? library.files.facts(of: path)) ?? nil else { return true }
        return facts.size == row.integer(.size) && (row.isNull(.modified) || facts.modified == row.integer(.modified))
    }

    private func folder(_ record: FileListEntry, _ shouldStop: () -> Bool) throws -> ProvenListEntry? {
        guard let folder = record.folder, !record.course.isEmpty, record.chapter != "",
            (try? LibraryPath(folder)) != nil
        else { return nil }
        var found = ProvenListEntry(record: record, file: nil)
        for file in record.beside ?? [] where file.kind == FileListEntry.Beside.metadata {
            let proof = Self.proof(file)
            guard let sha256 = proof.sha256, let (place, facts) = try prove(file.path, proof, shouldStop) else {
                continue
            }
            found.metadata.append(
                MetadataRecord(
                    path: place, course: record.course, size: file.size, modified: facts.modified, sha256: sha256))
        }
        guard let path = record.path, let size = record.size, let modified = record.modified,
            let (place, facts) = try prove(
                path, FileRecord(size: size, modified: modified, sha256: Self.checksum(record.sha256)), shouldStop)
        else { return found }
        found.file = StoredFile(path: place, size: size, modified: facts.modified, sha256: nil, source: [])
        found.cover = record.cover.flatMap(CoverDigest.init(hex:))
        return found
    }

    private func video(_ record: FileListEntry, _ shouldStop: () -> Bool) throws -> ProvenListEntry? {
        guard let path = record.path, let size = record.size, size >= 0, let stem = record.stem,
            let video = record.video, !video.isEmpty, !record.course.isEmpty, (try? LibraryPath(stem)) != nil,
            let source = record.source.flatMap(SourceDigest.init(hex:)),
            record.seconds.map({ $0.isFinite && $0 >= 0 }) ?? true
        else { return nil }
        let sha256 = Self.checksum(record.sha256)
        let known = FileRecord(size: size, modified: record.modified, sha256: sha256)
        guard let (place, facts) = try prove(path, known, shouldStop) else { return nil }
        var found = ProvenListEntry(
            record: record,
            file: StoredFile(
                path: place, size: size, modified: facts.modified, sha256: sha256, source: source, role: record.role,
                joining: record.joining))
        var isWhole = true
        for beside in record.beside ?? [] {
            guard let kind = SidecarRecord.Kind(rawValue: beside.kind) else { return nil }
            let proof = Self.proof(beside)
            if let (place, facts) = try prove(beside.path, proof, shouldStop) {
                found.sidecars.append(
                    SidecarRecord(
                        download: DownloadID(rawValue: 0), kind: kind, name: beside.name, path: place,
                        size: beside.size, modified: facts.modified, sha256: kind == .stream ? proof.sha256 : nil))
            } else if kind == .stream {
                // A video without its sound doesn't count.
                return nil
            } else {
                isWhole = false
                found.missing.append(SidecarName(kind, beside.name))
            }
        }
        if isWhole { found.extras = record.extras.flatMap(ExtrasDigest.init(hex:)) }
        return found
    }

    private static func checksum(_ hex: String?) -> Checksum? {
        hex.flatMap(Checksum.init(hex:)).flatMap { $0.count == 32 ? $0 : nil }
    }

    private static func proof(_ file: FileListEntry.Beside) -> FileRecord {
        FileRecord(size: file.size, modified: file.modified, sha256: checksum(file.sha256))
    }

    /// The file's path and facts; also under another Unicode form of its name, as left by copying through another
    /// system.
    private func prove(
        _ path: String, _ record: FileRecord, _ shouldStop: () -> Bool
    ) throws -> (String, FileFacts)? {
        var seen: Set<[UInt8]> = []
        for form in [path, path.precomposedStringWithCanonicalMapping, path.decomposedStringWithCanonicalMapping]
        where seen.insert(Array(form.utf8)).inserted {
            do throws(LibraryError) {
                if case .ours(let facts) = try library.files.proves(form, is: record, shouldStop: shouldStop) {
                    return (form, facts)
                }
            } catch {
                if error == .stopped { throw error }
            }
        }
        return nil
    }
}
