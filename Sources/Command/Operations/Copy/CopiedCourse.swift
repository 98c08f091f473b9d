import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import MediaMetadata
import SyncFacts

/// The files of a course that belong to no single video: covers, page, playlists, and those for media servers.
///
/// They are copied as they are, as far as they are true of the copy: a page and playlists if the copy has all of the
/// course, else they are made of the copy's list, which knows less than the catalogs do.
struct CopiedCourse {
    let id: String
    let sources: [CopySource]
    let target: CopyTarget
    let copier: FileCopier
    /// The lines of the copy's list about it and what is in it.
    let lines: [FileListEntry]
    /// The files made from facts about the course, by source.
    let metadata: [(source: Int, record: MetadataRecord)]

    /// The limit on the subtitles in one page.
    private static let mostText = 16 << 20

    /// The line about the course, then those about its chapters, without covers; none for an unknown course.
    static func entries(_ id: String, _ sources: [CopySource], _ target: CopyTarget) -> [FileListEntry] {
        guard let course = sources.lazy.compactMap({ $0.courses[id] }).first else { return [] }
        var seen: Set<String> = []
        let chapters = sources.flatMap { $0.chapters[id] ?? [] }.filter { seen.insert($0.id).inserted }
        return ([FileListEntry(course)] + chapters.map(FileListEntry.init)).map { entry in
            var entry = entry
            // The catalog's place says nothing on another machine.
            (entry.catalog, entry.cover, entry.path, entry.size, entry.modified) = (nil, nil, nil, nil, nil)
            if target.refusesNames { entry.folder = entry.folder.map(LibraryName.portable) }
            return entry
        }
    }

    /// Brings its files up to date. Returns the problems with its covers.
    func update() throws -> [LibraryCopy.Problem] {
        let videos = lines.filter { $0.video != nil }
        guard !videos.isEmpty else {
            try remove()
            return []
        }
        var problems: [LibraryCopy.Problem] = []
        var entries = Self.entries(id, sources, target).filter { entry in
            entry.chapter == nil || videos.contains { $0.chapter == entry.chapter }
        }
        for index in entries.indices { try addCover(to: &entries[index], &problems) }
        guard var course = entries.first else { return problems }
        let isWhole = try isWhole(videos)
        var beside = try copied(videos, entries, isWhole: isWhole)
        let pages = generated(videos, entries, without: beside, isWhole: isWhole)
        // A page is the copy's as soon as the list says so.
        course.beside = beside + pages.map { Self.line($0) }
        if !pages.isEmpty, course.beside != target.entry(FileListKey(course))?.beside { try target.note(course) }
        for page in pages {
            guard let record = try copier.place(page.bytes, at: page.path) else {
                problems.append(problem(page.path, Int64(page.bytes.count), .inTheWay))
                continue
            }
            beside.append(Self.line(page).at(page.path, record))
        }
        course.beside = beside.isEmpty ? nil : beside
        entries[0] = course
        for entry in entries {
            let old = lines.first { FileListKey($0) == FileListKey(entry) }
            let gone = (old?.files ?? []).filter { file in !entry.files.contains { $0.path == file.path } }
            if target.entry(FileListKey(entry)) != entry { try target.note(entry) }
            for file in gone { try target.remove(file) }
        }
        return problems
    }

    /// Removes what belongs to a course without videos.
    private func remove() throws {
        for entry in lines {
            for file in entry.files { try target.remove(file) }
            target.forget(FileListKey(entry))
        }
    }

    // MARK: covers

    private func addCover(to entry: inout FileListEntry, _ problems: inout [LibraryCopy.Problem]) throws {
        for source in sources {
            let (digest, file) = cover(of: entry, source)
            guard let digest, let file else { continue }
            let key = FileListKey(entry)
            var planned = PlannedFile(
                from: file.path, to: target.path(for: file.path, of: key, id: entry.course),
                record: FileRecord(size: file.size, modified: file.modified, sha256: file.sha256))
            planned.known = target.entry(key)?.files.last.flatMap { planned.isSame(as: $0.record) ? $0 : nil }
            switch try copier.copy(planned, from: source.library) {
            case .there(let record, _):
                (entry.cover, entry.path, entry.size) = (digest.hex, planned.to, record.size)
                (entry.modified, entry.sha256) = (record.modified, record.sha256?.hex)
            case .problem(let kind): problems.append(problem(file.path, file.size, kind))
            }
            return
        }
    }

    private func cover(of entry: FileListEntry, _ source: CopySource) -> (CoverDigest?, StoredFile?) {
        guard let chapter = entry.chapter else {
            let course = source.courses[id]
            return (course?.cover, course?.coverFile)
        }
        let record = source.chapters[id]?.first { $0.id == chapter }
        return (record?.cover, record?.coverFile)
    }

    private func problem(_ path: String, _ size: Int64, _ kind: LibraryCopy.Problem.Kind) -> LibraryCopy.Problem {
        LibraryCopy.Problem(
            reference: .init(course: id, chapter: nil, video: "", title: ""), path: path, size: size, kind: kind,
            lacksVideo: false)
    }

    // MARK: files made from facts

    /// Whether the copy has the finished videos of the course, under the same names, and no others.
    private func isWhole(_ videos: [FileListEntry]) throws -> Bool {
        var finished: [String: String] = [:]
        for source in sources {
            for record in try source.store.metadata.finished(in: id) {
                finished[record.key.video] = record.file?.path
            }
        }
        return videos.count == finished.count && videos.allSatisfy { $0.path == finished[$0.video ?? ""] }
    }

    /// Copies those that are as true of the copy.
    private func copied(
        _ videos: [FileListEntry], _ entries: [FileListEntry], isWhole: Bool
    ) throws -> [FileListEntry.Beside] {
        let files = Set(videos.flatMap { $0.files.map(\.path) }.map(Self.stem) + videos.compactMap(\.stem))
        let folders = Set(entries.compactMap(\.folder))
        var copied: [FileListEntry.Beside] = []
        for (source, record) in metadata {
            let (folder, name) = LibraryPathParts.split(record.path)
            let isOfFolder = ["tvshow.nfo", "season.nfo"].contains(name)
            let ending = [".nfo", ".info.json"].first { name.hasSuffix($0) }
            let isTrue =
                if isOfFolder { folders.contains(folder) } else if let ending {
                    files.contains(String(record.path.dropLast(ending.count)))
                } else { isWhole }
            guard isTrue else { continue }
            let proof = FileRecord(size: record.size, modified: record.modified, sha256: record.sha256)
            var file = PlannedFile(from: record.path, to: record.path, record: proof)
            let old = target.entry(FileListKey(entries[0]))?.beside?.first { $0.path == record.path }
            file.known = old.flatMap { file.isSame(as: $0.record) ? .init(path: $0.path, record: $0.record) : nil }
            // What somebody has changed or removed isn't missed here; a page is made anew.
            guard case .there(let there, _) = try copier.copy(file, from: sources[source].library) else { continue }
            copied.append(
                FileListEntry.Beside(
                    kind: FileListEntry.Beside.metadata, name: "", path: record.path, size: there.size,
                    modified: there.modified ?? 0, sha256: there.sha256?.hex))
        }
        return copied
    }

    /// The page, and playlists if the library has some, unless they were copied.
    private func generated(
        _ videos: [FileListEntry], _ entries: [FileListEntry], without copied: [FileListEntry.Beside], isWhole: Bool
    ) -> [MetadataFile] {
        var kinds: Set<MetadataKind> = [.index]
        if !isWhole, metadata.contains(where: { $0.record.path.hasSuffix(".m3u8") }) { kinds.insert(.playlist) }
        let paths = Set(copied.map(\.path))
        var left = Self.mostText
        let texts = Dictionary(
            videos.flatMap { $0.beside ?? [] }.map { ($0.path, $0.record) }, uniquingKeysWith: { first, _ in first })
        let files = MetadataWriter(kinds).files(of: MetadataCourse(entries, videos)) { path in
            guard let record = texts[path], record.size <= left, record.size > 0 else { return nil }
            left -= Int(record.size)
            return (try? target.library.files.bytes(of: path, record: record, 0..<record.size)) ?? nil
        }
        return files.filter { !paths.contains($0.path) }
    }

    private static func line(_ file: MetadataFile) -> FileListEntry.Beside {
        let size = Int64(file.bytes.count)
        return FileListEntry.Beside(
            kind: FileListEntry.Beside.metadata, name: "", path: file.path, size: size, modified: 0,
            sha256: CopiedChecksums.sha256(of: file.bytes).hex)
    }

    private static func stem(_ path: String) -> String {
        let (folder, name) = LibraryPathParts.split(path)
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return folder.isEmpty ? String(stem) : "\(folder)/\(stem)"
    }
}

extension MetadataCourse {
    /// What the list of a copy says of a course.
    ///
    /// - Parameter entries: of the course, then of its chapters.
    fileprivate init(_ entries: [FileListEntry], _ videos: [FileListEntry]) {
        let course = entries[0]
        let sorted = videos.sorted { ($0.index ?? 0, $0.title) < ($1.index ?? 0, $1.title) }
        let byChapter = Dictionary(grouping: sorted, by: \.chapter).mapValues { $0.map(MetadataCourse.Video.init) }
        let chapters = entries.dropFirst().sorted { ($0.number ?? 0) < ($1.number ?? 0) }
        var found = chapters.map { entry in
            MetadataCourse.Chapter(
                id: entry.chapter, title: entry.title, folder: entry.folder ?? "",
                number: entry.number ?? entry.position ?? 0, season: entry.season ?? entry.position ?? 0,
                cover: entry.path, videos: byChapter[entry.chapter] ?? [])
        }
        if let direct = byChapter[nil] {
            found.insert(
                .init(
                    id: nil, title: course.title, folder: course.folder ?? "", number: 0,
                    season: course.season ?? (chapters.isEmpty ? 1 : 0), videos: direct), at: 0)
        }
        self.init(
            id: course.course, title: course.title, folder: course.folder ?? "", cover: course.path, chapters: found)
    }
}

extension MetadataCourse.Video {
    fileprivate init(_ entry: FileListEntry) {
        self.init(
            id: entry.video ?? "", title: entry.title, provider: entry.provider ?? "", quality: "",
            number: entry.number ?? entry.position ?? 0, index: entry.index ?? 0, path: entry.path ?? "",
            size: entry.size ?? 0, sha256: entry.sha256, seconds: entry.seconds)
        for file in (entry.beside ?? []).sorted(by: { ($0.name, $0.path) < ($1.name, $1.path) }) {
            guard let kind = SidecarRecord.Kind(rawValue: file.kind) else { continue }
            let record = SidecarRecord(
                download: DownloadID(rawValue: 0), kind: kind, name: file.name, path: file.path, size: file.size,
                modified: file.modified)
            switch kind {
            case .cover: cover = file.path
            case .subtitle: subtitles.append(.init(name: file.name, path: file.path))
            case .attachment: attachments.append(.init(name: file.name, path: file.path))
            case .stream: if let role = record.viewRole { views.append(.init(name: role, path: file.path)) }
            case .unasked: break
            }
        }
    }
}
