package import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
package import SyncFacts
import Synchronization
import SystemPackage

/// Keeps the list in the library in step with the state's finished files: appends changes once a second, in one write
/// and one flush, and writes the list again if it can't be the one that the state recorded.
///
/// The state records the list's length when it was complete, or that lines may be missing. Nothing depends on the list
/// while there is a state: an error with it is reported once, and stops nothing.
package final class FileListUpdater: Sendable {
    private struct State {
        var ids: Set<DownloadID> = []
        var courses: Set<String> = []
        /// Whether the state has recorded that lines may be missing.
        var isOpen = false
        var lines = 0
        var writer: SendableWriter?
        var failure: Refusal?
    }

    /// Used under the mutex only.
    private struct SendableWriter: @unchecked Sendable {
        let writer: FileListWriter
    }

    private static let fact = "file_list"
    private static let open = "open"
    private let state = Mutex(State())
    private let store: DownloadStore
    private let library: LibraryFolder
    private var list: FileList<FileListEntry> { FileList(of: library) }

    package init(store: DownloadStore, library: LibraryFolder) {
        self.store = store
        self.library = library
    }

    /// The first error of a write.
    package var failure: Refusal? { state.withLock { $0.failure } }

    /// Called at the start of a pass, after its rows were written: makes sure that the list is complete.
    /// `isGoingToChange`: files may be placed in this pass.
    package func begin(isGoingToChange: Bool) {
        attempt { state in
            let finished = try store.downloads.finishedCount()
            let size = try list.size()
            let known = try store.facts.value(Self.fact)?.split(separator: " ")
            if let known, known.count == 3, known[0] == library.id.rawValue, let size, known[1] == "\(size)",
                let lines = Int(known[2]), lines < 2 * finished + 1000
            {
                state.lines = lines
            } else if finished > 0 || size != nil {
                try rewrite(&state)
            }
            guard isGoingToChange else { return }
            // Before the first row is: a kill must not leave a list that looks complete.
            try store.facts.set(Self.fact, Self.open)
            state.isOpen = true
        }
    }

    /// Notes rows changed by a comparison.
    package func note(_ changes: ReconcileChanges) {
        state.withLock { state in
            state.ids.formUnion(changes.updated.map(\.id) + changes.finished)
            state.courses.formUnion(changes.courses.map(\.id) + changes.chapters.map(\.course))
            for move in changes.moves {
                switch move.owner {
                case .download(let id), .sidecar(let id, _, _): state.ids.insert(id)
                case .course(let id), .chapter(let id, _): state.courses.insert(id)
                }
            }
        }
    }

    /// Notes changes that have been written to the state. Videos of a shard that are about to get their files are
    /// announced before this returns.
    package func note(_ changes: [DownloadChange]) {
        var placing: [DownloadID] = []
        var parted: Set<DownloadID> = []
        state.withLock { state in
            for change in changes {
                switch change {
                case .placing(let id, _): placing.append(id)
                case .placingPart(let part): parted.insert(part.file.download)
                case .finish(let id), .adopt(let id, _), .recorded(let id, _), .extrasStored(let id, _):
                    state.ids.insert(id)
                case .sidecar(let change): state.ids.insert(change.download)
                case .courseCover(let course, _, _), .chapterCover(let course, _, _, _), .coverLost(let course, _, _):
                    state.courses.insert(course)
                default: break
                }
            }
        }
        // Without its parts a video isn't whole.
        announce(placing.filter { !parted.contains($0) })
    }

    /// Appends lines about videos of a shard that are about to get their files, without a flush: another machine that
    /// goes on without the shard's state finds each file in the list, also if this process is killed now. A line
    /// without its file says nothing.
    private func announce(_ ids: [DownloadID]) {
        guard library.isOfShard, !ids.isEmpty else { return }
        attempt { state in
            let writer = try writer(&state)
            let before = writer.lines
            try store.fileList.eachPlacing(ids) { try writer.append($0) }
            try writer.send()
            state.lines += writer.lines - before
        }
    }

    /// The list, open for appending.
    private func writer(_ state: inout State) throws -> FileListWriter {
        if !state.isOpen {
            try store.facts.set(Self.fact, Self.open)
            state.isOpen = true
        }
        if let open = state.writer { return open.writer }
        // The very first file.
        if try list.size() == nil { try rewrite(&state) }
        let writer = try list.open()
        state.writer = SendableWriter(writer: writer)
        return writer
    }

    /// Appends the noted changes; durable on return.
    func flush() {
        attempt { state in
            guard !state.ids.isEmpty || !state.courses.isEmpty else { return }
            let writer = try writer(&state)
            let before = writer.lines
            if !state.courses.isEmpty {
                for course in try store.catalogs.courses().values where state.courses.contains(course.id) {
                    try writer.append(FileListEntry(course))
                }
                for chapter in try store.catalogs.chapters() where state.courses.contains(chapter.course) {
                    try writer.append(FileListEntry(chapter))
                }
            }
            try store.fileList.each(state.ids.sorted()) { try writer.append($0) }
            try writer.flush()
            state.lines += writer.lines - before
            state.ids = []
            state.courses = []
        }
    }

    /// Called at the end of a pass.
    package func end() {
        flush()
        attempt { state in
            state.writer = nil
            guard state.isOpen, let size = try list.size() else { return }
            try store.facts.set(Self.fact, "\(library.id.rawValue) \(size) \(state.lines)")
            state.isOpen = false
        }
    }

    /// Writes the list from the state. Lines of another state, or of this one before a restore, are kept if their files
    /// exist.
    private func rewrite(_ state: inout State) throws {
        let list = list
        state.writer = nil
        state.lines = try list.replace { write in
            var known: Set<Int> = []
            var paths: Set<Int> = []
            for course in try store.catalogs.courses().values.sorted(by: { $0.id < $1.id }) {
                known.insert(FileListKey(FileListEntry(course)).hashValue)
                try write(FileListEntry(course))
            }
            for chapter in try store.catalogs.chapters() {
                known.insert(FileListKey(FileListEntry(chapter)).hashValue)
                try write(FileListEntry(chapter))
            }
            try store.fileList.each(nil) { record in
                known.insert(FileListKey(record).hashValue)
                if let path = record.path { paths.insert(LibraryName.key(path).hashValue) }
                try write(record)
            }
            let reading = try list.read { record in
                guard !known.contains(FileListKey(record).hashValue) else { return }
                if record.video != nil {
                    guard let path = record.path, !paths.contains(LibraryName.key(path).hashValue),
                        let facts = (try? library.files.facts(of: path)) ?? nil, facts.size == record.size
                    else { return }
                }
                try write(record)
            }
            if reading.isNewer { throw Refusal.run(.newerList(library: library.root.string, isUnused: false)) }
        }
        state.ids = []
        state.courses = []
        guard !state.isOpen, let size = try list.size() else { return }
        try store.facts.set(Self.fact, "\(library.id.rawValue) \(size) \(state.lines)")
    }

    /// After a failure it does nothing until the next pass.
    private func attempt(_ body: (inout State) throws -> Void) {
        state.withLock { state in
            guard state.failure == nil else { return }
            do {
                try body(&state)
            } catch {
                state.failure = Refusal(any: error)
                state.writer = nil
                // Lines may be missing now: the next pass must not consider the list complete.
                try? store.facts.set(Self.fact, Self.open)
            }
        }
    }
}

/// Identifies the subject of a record.
package struct FileListKey: Hashable {
    private let parts: [String?]

    package init(_ record: FileListEntry) {
        // A video's chapter may change.
        parts = record.video.map { [record.course, $0] } ?? [record.course, nil, record.chapter]
    }
}
