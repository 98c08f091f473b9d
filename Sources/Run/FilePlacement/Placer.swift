package import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
import MediaTransfer
import SystemPackage

/// Places complete files, a group at a time, in the order that survives a kill at any instant: data flushed, row
/// `placing`, rename, folders flushed, row `finished`.
package struct Placer: Sendable {
    let store: DownloadStore
    let library: LibraryFolder

    package init(store: DownloadStore, library: LibraryFolder) {
        self.store = store
        self.library = library
    }

    /// Places the group. `write` commits the journal and the given changes. Returns nil if the state can't be written.
    package func place(
        _ group: [ArrivedFile], write: ([DownloadChange]) -> Bool,
        failed: (ArrivedFile, PlacingFailure) -> Void
    ) -> [PlacedFile]? {
        let group = wanted(group) { failed($0, .unwanted) }
        var ready: [PlacedFile] = []
        ready.reserveCapacity(group.count)
        // All writes are started before the first one is waited for.
        for file in group { for file in [file] + file.parts { file.partial?.startWriteback() } }
        for file in group {
            do throws(PlacingFailureError) {
                let parts = try file.parts.map { part throws(PlacingFailureError) in
                    PlacedFile(file: part, stored: try flush(part), isPart: true)
                }
                let former = formerParts(of: file)
                ready.append(PlacedFile(file: file, stored: try flush(file), parts: parts, former: former))
            } catch { failed(file, error.failure) }
        }
        do {
            try library.refreshFolders(of: ready.flatMap { [$0] + $0.parts }.map(\.stored.path))
        } catch {
            for placed in ready { failed(placed.file, .library(error)) }
            return []
        }
        guard write(ready.flatMap(\.placing)) else {
            for placed in ready { failed(placed.file, .store) }
            return nil
        }
        var placed: [PlacedFile] = []
        placed.reserveCapacity(ready.count)
        for var item in ready {
            var moved: [PlacedFile] = []
            do throws(LibraryError) {
                for number in item.parts.indices where try rename(&item.parts[number], write: write) {
                    moved.append(item.parts[number])
                }
                _ = try rename(&item, write: write)
                placed.append(item)
            } catch {
                // All or nothing: without the video nobody would know its parts.
                for part in moved { try? library.placing.takeBack(part.file.partialName, from: part.stored.path) }
                if case .video(let id, _) = item.file.role { _ = write([.unplace(id)]) }
                failed(item.file, .library(error))
            }
        }
        let unflushed = library.folders.unflushedNames(of: placed.flatMap { [$0] + $0.parts }.map(\.stored.path))
        if !unflushed.isEmpty {
            placed = placed.filter { item in
                let error = ([item] + item.parts).lazy.compactMap { unflushed[$0.stored.path] }.first
                if let error { failed(item.file, .library(error)) }
                return error == nil
            }
        }
        // Before the row forgets it: a kill in between is settled at the next start.
        removeOld(&placed)
        guard write(placed.flatMap(\.ended)) else {
            for item in placed { failed(item.file, .store) }
            return nil
        }
        for item in placed { for file in [item.file] + item.file.parts { file.partial?.close() } }
        return placed
    }

    /// Removes sidecars of videos that were cancelled or removed since their download began, which would stay forever:
    /// the row changes before the video's files are deleted, and sidecars placed before that are recorded, and deleted
    /// with them.
    private func wanted(_ group: [ArrivedFile], unwanted: (ArrivedFile) -> Void) -> [ArrivedFile] {
        let videos = Set(group.compactMap { if case .sidecar(let id, _, _) = $0.role { id } else { nil } })
        guard !videos.isEmpty, let cancelled = try? store.downloads.cancelled(of: videos.sorted()), !cancelled.isEmpty
        else { return group }
        return group.filter { file in
            guard case .sidecar(let id, _, _) = file.role, cancelled.contains(id) else { return true }
            unwanted(file)
            return false
        }
    }

    private func flush(_ file: ArrivedFile) throws(PlacingFailureError) -> StoredFile {
        do throws(FileError) { _ = try file.partial?.flush() } catch { throw PlacingFailureError(.flush(error)) }
        do throws(LibraryError) {
            let modified =
                if let known = file.settles { known } else {
                    try library.partials.facts(of: file.partialName)?.modified
                }
            let source: SourceDigest = if case .video(_, let source) = file.role { source } else { [] }
            return StoredFile(
                path: file.path, size: file.size, modified: modified, sha256: file.sha256, source: source,
                proof: file.proof, checksums: file.checksums, role: file.view, joining: file.joining)
        } catch { throw PlacingFailureError(.library(error)) }
    }

    /// The parts that the video has had and doesn't get now: those that it no longer has, and other views, which stay
    /// as long as they are there, even damaged: nobody has asked for their end, and nobody has others.
    private func formerParts(of file: ArrivedFile) -> FormerParts {
        guard case .video(let id, _) = file.role, file.hasPast || file.old != nil || !file.parts.isEmpty else {
            return FormerParts()
        }
        let names = Set(
            file.parts.compactMap { part in
                if case .sidecar(_, .stream, let name) = part.role { name } else { nil }
            })
        let views = Set(names.compactMap(SidecarRecord.viewOfPart))
        let former = ((try? store.sidecars.files(of: [id])) ?? []).filter {
            $0.kind == .stream && !names.contains($0.name)
        }
        let obsolete = former.filter { part in
            guard let view = part.viewOfPart, !views.contains(view) else { return true }
            do throws(LibraryError) { return try library.files.facts(of: part.path) == nil } catch { return false }
        }
        return FormerParts(obsolete: obsolete, kept: former.filter { part in !obsolete.contains(part) })
    }

    /// Renames to the wanted place or, if somebody else's file is there, to a name with the id. Returns whether the
    /// partial has become a file at a new place, which can be undone.
    private func rename(_ item: inout PlacedFile, write: ([DownloadChange]) -> Bool) throws(LibraryError) -> Bool {
        let file = item.file
        // An earlier run has done this already, as settling has proven.
        if let modified = file.settles,
            try library.partials.facts(of: file.partialName).map({ $0.size != file.size || $0.modified != modified })
                ?? true
        {
            return false
        }
        if let old = file.old, old.path == item.stored.path {
            switch try library.placing.replace(old.path, with: file.partialName, record: FileRecord(old)) {
            case .replaced: return false
            case .placed: return true
            case .notOurs: break
            }
        }
        for attempt in 0..<100 {
            if attempt > 0 {
                if file.keepsName { break }
                item.stored.path = Self.distinct(file.path, id: file.id, attempt: attempt)
                if !item.placing.isEmpty, !write(item.placing) { throw .stopped }
            }
            guard case .exists(let facts) = try library.placing.put(file.partialName, at: item.stored.path) else {
                return true
            }
            // A file of another download, which may be deleted soon, is never adopted.
            if isTaken(item.stored.path, from: file) { continue }
            if let facts, let partial = try library.partials.facts(of: file.partialName), partial == facts {
                // It was made from the file in its place, as a second name of it.
                try library.files.flush(item.stored.path)
                try library.partials.remove(file.partialName)
                return false
            }
            let record = FileRecord(size: file.size, modified: nil, sha256: file.sha256)
            if facts?.size == file.size, record.sha256 != nil,
                case .ours(let facts) = try library.files.proves(item.stored.path, is: record)
            {
                // The same bytes are there already: adopted, once they are known to be durable.
                item.stored.modified = facts.modified
                try library.files.flush(item.stored.path)
                try library.partials.remove(file.partialName)
                return false
            }
        }
        throw .system(.rename, path: file.path, .fileExists)
    }

    /// Whether the file at a path belongs to another download; true if unknown.
    private func isTaken(_ path: String, from file: ArrivedFile) -> Bool {
        switch file.role {
        case .video(let id, _), .sidecar(let id, _, _): (try? store.downloads.hasOwner(of: path, besides: id)) ?? true
        case .courseCover, .chapterCover: false
        }
    }

    /// "Folder/03 Lenses.mp4" → "Folder/03 Lenses [id].mp4".
    static func distinct(_ path: String, id: String, attempt: Int) -> String {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let name = path[folder.endIndex...]
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        return folder + LibraryName.distinct(String(name[..<dot]), id: id, attempt: attempt) + name[dot...]
    }

    /// Old files are removed when their successors are durable elsewhere. One that isn't provably ours stays. A part
    /// that can't be removed keeps its row, so that nobody forgets it.
    private func removeOld(_ placed: inout [PlacedFile]) {
        var removed: [String] = []
        func remove(_ file: StoredFile) -> Bool {
            // Some errors pass, such as that of a file that is busy on a network file system.
            for _ in 0..<2 {
                do throws(LibraryError) {
                    if case .removed = try library.files.remove(file.path, record: FileRecord(file)) {
                        removed.append(file.path)
                    }
                    return true
                } catch { continue }
            }
            return false
        }
        for number in placed.indices {
            let item = placed[number]
            for item in [item] + item.parts {
                if let old = item.file.old, old.path != item.stored.path { _ = remove(old) }
            }
            let stuck = item.former.obsolete.filter { !remove(StoredFile($0)) }
            placed[number].former.obsolete.removeAll(where: stuck.contains)
            placed[number].former.kept += stuck
        }
        // A power loss would bring back files that no row names any more. Where the folder can't be flushed, it may.
        _ = library.folders.unflushedNames(of: removed)
    }
}

/// ``PlacingFailure`` as an error.
struct PlacingFailureError: Error {
    var failure: PlacingFailure

    init(_ failure: PlacingFailure) { self.failure = failure }
}

extension FileRecord {
    package init(_ file: StoredFile) {
        self.init(size: file.size, modified: file.modified, sha256: file.sha256)
    }
}

extension PlacedFile {
    /// The changes before the rename; none for files without a row before they are placed.
    ///
    /// The partials of a video's parts are recorded before anything is renamed, so that an interrupted placing can be
    /// completed.
    fileprivate var placing: [DownloadChange] {
        switch file.role {
        case .video(let id, _): [.placing(id, stored)] + parts.flatMap(\.placing)
        case .sidecar(let id, let kind, let name) where isPart:
            [
                .placingPart(
                    PartRecord(
                        file: SidecarRecord(
                            download: id, kind: kind, name: name, path: stored.path, size: stored.size,
                            modified: stored.modified ?? 0), partial: file.partialName.fileName, sha256: stored.sha256)
                )
            ]
        default: []
        }
    }

    /// The changes after all names of a video are durable.
    fileprivate var ended: [DownloadChange] {
        parts.map(\.finished) + former.obsolete.map { .sidecar(.lost($0)) } + former.kept.map { .sidecar(.stored($0)) }
            + [finished]
    }

    /// The change after the name is durable.
    fileprivate var finished: DownloadChange {
        switch file.role {
        case .video(let id, _): .finish(id)
        case .sidecar(let id, let kind, let name):
            .sidecar(
                .stored(
                    SidecarRecord(
                        download: id, kind: kind, name: name, path: stored.path, size: stored.size,
                        modified: stored.modified ?? 0, sha256: kind == .stream ? stored.sha256 : nil)))
        case .courseCover(let course, let digest): .courseCover(course, digest, stored)
        case .chapterCover(let course, let chapter, let digest):
            .chapterCover(course: course, chapter: chapter, digest, stored)
        }
    }
}

extension StoredFile {
    /// A sidecar.
    package init(_ sidecar: SidecarRecord) {
        self.init(
            path: sidecar.path, size: sidecar.size, modified: sidecar.modified, sha256: sidecar.sha256, source: [])
    }
}
