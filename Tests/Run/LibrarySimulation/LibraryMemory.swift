import DownloadStore
import MediaLibrary
import RunAccess

/// What is known about a library over its nights, from outside: by it the nights are judged.
struct LibraryMemory {
    /// A source of a video's bytes, as a row names it.
    struct Source: Hashable {
        var course: String
        var video: String
        var digest: SourceDigest
    }

    struct Key: Hashable {
        var course: String
        var video: String
    }

    /// The version of the bytes that a source means.
    var versions: [Source: Int] = [:]
    /// Whether the library has been made.
    var isOpened = false
    /// By course: the night of its last list.
    var lists: [String: Int] = [:]
    /// The versions that have been recorded as finished, and may not be downloaded again.
    private(set) var finished: [Key: Set<Int>] = [:]
    /// Those whose files are gone by somebody's will, until they are downloaded again.
    private var forgiven: Set<Key> = []
    /// Somebody's files, by their paths on the disk.
    var foreign: [String: [UInt8]] = [:]

    mutating func noteFinished(_ store: DownloadStore) {
        try? store.downloads.each { row in
            let key = Key(course: row.key.course, video: row.key.video)
            guard row.state == .finished, !row.isPlacing, !forgiven.contains(key), let version = version(of: row) else {
                return
            }
            finished[key, default: []].insert(version)
        }
    }

    /// The version of a row's file.
    func version(of row: DownloadRecord) -> Int? {
        row.file.flatMap { versions[Source(course: row.key.course, video: row.key.video, digest: $0.source)] }
    }

    /// The complaint about a transfer; nil for none.
    mutating func transferred(_ course: String, _ video: String, _ version: Int) -> String? {
        let key = Key(course: course, video: video)
        forgiven.remove(key)
        guard finished[key]?.contains(version) == true else { return nil }
        return "\(course)/\(video) is downloaded again, though it was finished"
    }

    /// Its file is gone by somebody's will.
    mutating func forgive(_ course: String, _ video: String) {
        finished[Key(course: course, video: video)] = nil
        forgiven.insert(Key(course: course, video: video))
    }

    mutating func note(_ transition: StateTransition, _ result: Steering.Result) {
        guard [.remove, .cancel, .retry].contains(transition) else { return }
        for (record, _) in result.changed { forgive(record.key.course, record.key.video) }
    }

    // MARK: what must hold

    /// What is wrong at any time, even after a kill: bytes that were finished are on the disk, and somebody's files are as
    /// they were.
    func problem(_ store: DownloadStore, _ disk: MemoryDisk.Content) -> String? {
        let files = disk.files(beneath: "")
        for (path, bytes) in foreign where files[path] != bytes {
            return "somebody's file \(path) \(files[path] == nil ? "is gone" : "was changed")"
        }
        let all = Set(files.values)
        var problem: String?
        try? store.downloads.each { row in
            guard problem == nil, row.state == .finished, !row.isPlacing, let file = row.file else { return }
            let key = Key(course: row.key.course, video: row.key.video)
            guard let version = version(of: row) else { return problem = "\(row.key) has a file of an unknown source" }
            // Somebody has deleted it.
            guard finished[key] != nil else { return }
            let bytes = LibraryWeek.bytes(key.course, key.video, version)
            if !all.contains(bytes) {
                problem = "the bytes of \(key.course)/\(key.video) are lost; its row says \(file.path)"
            }
        }
        return problem
    }

    /// What is wrong after a night that wasn't killed: each file is where its row says, unless its move is still
    /// recorded.
    func problemAfterNight(_ store: DownloadStore, _ disk: MemoryDisk.Content) throws -> String? {
        let files = disk.files(beneath: "library")
        let moving = Set(try store.moves.recorded().compactMap(\.download))
        var problem: String?
        try store.downloads.each { row in
            guard problem == nil, row.state == .finished, !row.isPlacing, let file = row.file, !moving.contains(row.id),
                let version = version(of: row), finished[Key(course: row.key.course, video: row.key.video)] != nil
            else { return }
            if files[file.path] != LibraryWeek.bytes(row.key.course, row.key.video, version) {
                problem = "\(file.path) \(files[file.path] == nil ? "is missing" : "has wrong bytes")"
            }
        }
        return problem
    }
}

extension LibraryWeek {
    /// What is wrong after a night in which no call failed and nobody stopped it: a video that is listed and hasn't
    /// come, without a trouble of its own course.
    func unfinished(_ store: DownloadStore, _ night: Int, without troubled: Set<String>, at now: DatedNight) throws
        -> String?
    {
        var rows: [LibraryMemory.Key: DownloadRecord] = [:]
        try store.downloads.each { rows[LibraryMemory.Key(course: $0.key.course, video: $0.key.video)] = $0 }
        for course in listed(night) where !troubled.contains(course.id) {
            for video in videos(course, night) {
                guard let row = rows[LibraryMemory.Key(course: course.id, video: video.id)] else {
                    return "\(course.id)/\(video.id) has no row"
                }
                switch row.state {
                case .finished where !row.isPlacing: continue
                case .paused, .cancelled: continue
                case .failed, .waiting: if let retryAt = row.retryAt, retryAt > now.date { continue }
                default: break
                }
                return "\(course.id)/\(video.id) is \(row.state) after an untroubled night"
            }
        }
        return nil
    }

    /// What is wrong after the last night: names that don't follow the catalog, moves that were forgotten, leftovers.
    func leftover(_ store: DownloadStore, _ disk: MemoryDisk.Content, _ memory: LibraryMemory) throws -> String? {
        let files = disk.files(beneath: "library")
        var known: Set<String> = [".coursefetch/library.json"]
        var partials: Set<String> = []
        var problem: String?
        try store.downloads.each { row in
            if let file = row.file { known.insert(file.path) }
            if row.state.keepsPartial { partials.insert(".coursefetch/partials/\(row.id.rawValue).part") }
            guard problem == nil, row.state == .finished, !row.isGone, let file = row.file else { return }
            let name = file.path.dropLast(4)
            if name != row.catalog.stem, !name.hasPrefix(row.catalog.stem + " [") {
                problem = "\(file.path) should be called \(row.catalog.stem)"
            }
        }
        if let problem { return problem }
        guard try store.moves.recorded().isEmpty, try store.moves.putOff().isEmpty else {
            return "moves are left: \(try store.moves.recorded() + store.moves.putOff())"
        }
        let foreign = Set(memory.foreign.keys.map { String($0.dropFirst("library/".count)) })
        let others = Set(files.keys).subtracting(known).subtracting(partials).subtracting(foreign)
        return others.isEmpty ? nil : "files that nobody knows: \(others.sorted())"
    }
}
