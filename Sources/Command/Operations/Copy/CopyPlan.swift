import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import SyncFacts

/// A library, or the part of it that a shard has.
struct CopySource: Sendable {
    let store: DownloadStore
    let library: LibraryFolder
    /// The part of the selection that it has; nil if it has none of it.
    let selection: Selection?
    /// By id.
    let courses: [String: CourseRecord]
    /// By course.
    let chapters: [String: [ChapterRecord]]

    init(_ store: DownloadStore, _ library: LibraryFolder, _ selection: Selection?) throws(StoreError) {
        (self.store, self.library, self.selection) = (store, library, selection)
        courses = try store.catalogs.courses()
        chapters = Dictionary(grouping: try store.catalogs.chapters(), by: \.course)
    }
}

/// A file to be in the copy.
struct PlannedFile {
    /// In the library.
    var from: String
    /// In the copy.
    var to: String
    /// As the library has it.
    var record: FileRecord
    /// The same file as the copy's list has it; nil if the list has none, or another one.
    var known: CopyTarget.Known?
    /// Whether a video is of no use without it.
    var isNeeded = true
    /// Whether it is in its place, as far as that can be said without reading it.
    var isThere = false

    /// The time that the copy gets: FAT keeps even seconds only, and a time that it can't keep proves nothing later.
    var time: Int64? { record.modified.map(Self.kept) }

    static func kept(_ time: Int64) -> Int64 { time - ((time % evenSecond) + evenSecond) % evenSecond }

    private static let evenSecond: Int64 = 2_000_000_000
}

/// A video to be in the copy.
struct PlannedVideo {
    /// The index of its source.
    var source: Int
    var reference: VideoReference
    /// As its library has it.
    var entry: FileListEntry
    /// Its own file is the last one.
    var files: [PlannedFile]

    var key: FileListKey { FileListKey(entry) }
    var bytes: Int64 { files.reduce(0) { $0 + $1.record.size } }
}

/// What a copy lacks of a selection.
struct CopyPlan {
    /// Those that aren't there as they should be, in catalog order.
    var videos: [PlannedVideo] = []
    /// All selected videos, whatever their states are.
    var selected: Set<FileListKey> = []
    /// Selected courses, in catalog order.
    var courses: [String] = []
    /// The number of finished ones that are there already.
    var present = 0
    /// Those that the file system can't have.
    var tooLarge: [LibraryCopy.Problem] = []
    var renamed = 0
    /// The bytes to be written.
    var bytes: Int64 = 0

    private let target: CopyTarget
    private let largest: Int64?
    private var seen: Set<String> = []
    private static let page = 500

    /// - Parameter largest: the size of the largest file that the copy's file system has; nil if that isn't known.
    init(_ sources: [CopySource], _ target: CopyTarget, largest: Int64?, shouldStop: () -> Bool) throws {
        self.target = target
        self.largest = largest
        for (index, source) in sources.enumerated() {
            guard let selection = source.selection else { continue }
            let ids = try source.store.downloads.ids(selection.filter(countsSidecars: false))
            for start in stride(from: 0, to: ids.count, by: Self.page) {
                if shouldStop() { throw LibraryError.stopped }
                let page = try source.store.downloads.records(Array(ids[start..<min(start + Self.page, ids.count)]))
                try add(page.filter { selection.contains($0.reference, state: $0.state) }, of: index, source.store)
            }
        }
    }

    private mutating func add(_ records: [DownloadRecord], of index: Int, _ store: DownloadStore) throws {
        for record in records {
            selected.insert(FileListKey(record.reference))
            if seen.insert(record.key.course).inserted { courses.append(record.key.course) }
        }
        let finished = records.filter { $0.state == .finished }
        var entries: [FileListKey: FileListEntry] = [:]
        try store.fileList.each(finished.map(\.id)) { entries[FileListKey($0)] = $0 }
        for record in finished {
            guard let entry = entries[FileListKey(record.reference)] else { continue }
            try add(PlannedVideo(source: index, reference: record.reference, entry: entry, files: files(of: entry)))
        }
    }

    private mutating func add(_ video: PlannedVideo) throws {
        renamed += video.files.count { $0.from != $0.to }
        if let largest, let file = video.files.first(where: { $0.record.size > largest }) {
            tooLarge.append(
                LibraryCopy.Problem(
                    reference: video.reference, path: file.from, size: file.record.size, kind: .tooLarge,
                    lacksVideo: true))
            return
        }
        bytes += video.files.reduce(0) { $0 + ($1.isThere ? 0 : $1.record.size) }
        guard let known = target.entry(video.key), video.files.allSatisfy(\.isThere),
            known == video.entry(with: video.files.map { $0.known?.record })
        else {
            videos.append(video)
            return
        }
        present += 1
    }

    private func files(of entry: FileListEntry) -> [PlannedFile] {
        let key = FileListKey(entry)
        let known = target.entry(key)
        var files = (entry.beside ?? []).map { beside in
            let old = known?.beside?.first { $0.kind == beside.kind && $0.name == beside.name }
            var file = file(beside.path, beside.record, of: key, id: entry.video)
            file.isNeeded = beside.kind == SidecarRecord.Kind.stream.rawValue
            settle(&file, old.map { .init(path: $0.path, record: $0.record) })
            return file
        }
        if let path = entry.path, let size = entry.size {
            let record = FileRecord(
                size: size, modified: entry.modified, sha256: FileListEntry.checksum(entry.sha256))
            var file = file(path, record, of: key, id: entry.video)
            settle(&file, known?.files.last)
            files.append(file)
        }
        return files
    }

    private func file(_ path: String, _ record: FileRecord, of key: FileListKey, id: String?) -> PlannedFile {
        PlannedFile(from: path, to: target.path(for: path, of: key, id: id ?? ""), record: record)
    }

    /// Compares it with what the copy has.
    private func settle(_ file: inout PlannedFile, _ old: CopyTarget.Known?) {
        guard let old, file.isSame(as: old.record) else { return }
        file.known = old
        guard old.path == file.to, let facts = (try? target.library.files.facts(of: file.to)) ?? nil else { return }
        file.isThere = facts.size == old.record.size && facts.modified == old.record.modified
    }
}

extension PlannedFile {
    /// Whether a file of the copy is that of the library: by the SHA-256, else by the time that it got.
    func isSame(as other: FileRecord) -> Bool {
        guard record.size == other.size else { return false }
        if let sha256 = record.sha256, let there = other.sha256 { return sha256 == there }
        return time != nil && time == other.modified
    }
}

extension PlannedVideo {
    /// The line about it in the copy's list.
    ///
    /// - Parameter records: of its files, in their order; nil for one that isn't in the copy.
    func entry(with records: [FileRecord?]) -> FileListEntry {
        var entry = entry
        var beside: [FileListEntry.Beside] = []
        for (index, old) in (entry.beside ?? []).enumerated() {
            guard let record = records[index] else { continue }
            beside.append(old.at(files[index].to, record))
        }
        if beside.count < entry.beside?.count ?? 0 { (entry.extras, entry.complete) = (nil, nil) }
        entry.beside = beside.isEmpty ? nil : beside
        guard let file = files.last, let record = records.last ?? nil else { return entry }
        (entry.path, entry.size) = (file.to, record.size)
        (entry.modified, entry.sha256) = (record.modified, record.sha256?.hex)
        if file.to != file.from { entry.stem = stem(of: file.to) }
        return entry
    }

    private func stem(of path: String) -> String? {
        if LibraryName.isInPackage(path) { return entry.stem.map(LibraryName.portable) }
        let (folder, name) = LibraryPathParts.split(path)
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return folder.isEmpty ? String(stem) : "\(folder)/\(stem)"
    }
}

extension FileListEntry.Beside {
    /// The same file in the copy.
    func at(_ path: String, _ record: FileRecord) -> Self {
        Self(
            kind: kind, name: name, path: path, size: record.size, modified: record.modified ?? 0,
            sha256: record.sha256?.hex)
    }
}

extension FileListKey {
    init(_ reference: VideoReference) {
        var entry = FileListEntry(course: reference.course, title: reference.title)
        entry.video = reference.video
        self.init(entry)
    }
}
