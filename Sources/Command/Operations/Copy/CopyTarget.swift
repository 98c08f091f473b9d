import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import SyncFacts
import SystemPackage

/// The copy: its files, and its own list of them, which is the list that `library adopt --rebuild` reads. For one
/// thread.
///
/// A file belongs to the copy if a line of the list proves it, also one that was superseded: a line is written before
/// the file if nothing else would prove that.
final class CopyTarget {
    /// A file of the copy, as a line of its list has it.
    struct Known {
        var path: String
        var record: FileRecord
    }

    let library: LibraryFolder
    /// Whether its file system refuses names that others take.
    let refusesNames: Bool
    private let list: FileList<FileListEntry>
    private let writer: FileListWriter
    /// The last line about each subject, in the order of the list.
    private var lines: [FileListEntry?] = []
    private var places: [FileListKey: Int] = [:]
    /// What has proven a file to be the copy's, by its path.
    private var proofs: [String: [FileRecord]] = [:]
    /// Whose the paths are.
    private var names: CopyNames
    /// Whether the list has lines that no longer count.
    private var isOutdated = false

    /// Throws a ``Refusal`` or ``LibraryError``.
    init(_ library: LibraryFolder) throws {
        self.library = library
        refusesNames = library.refusesNames()
        names = CopyNames(cleans: refusesNames)
        list = FileList(of: library)
        if try list.size() == nil { _ = try list.replace { _ in } }
        writer = try list.open()
        let reading = try list.read { insert($0) }
        isOutdated = reading.lines > places.count || reading.damaged > 0
        if reading.isNewer { throw Refusal.run(.newerList(library: library.root.string, isUnused: true)) }
        for line in lines.compactMap(\.self) { names.insert(line.files.map(\.path), of: FileListKey(line)) }
    }

    var entries: [FileListEntry] { lines.compactMap(\.self) }

    func entry(_ key: FileListKey) -> FileListEntry? { places[key].flatMap { lines[$0] } }

    /// Where a file of the library is in the copy.
    func path(for path: String, of key: FileListKey, id: String) -> String { names.path(for: path, of: key, id: id) }

    /// Adds a line, in place of the one about the same subject; durable on return.
    func note(_ entry: FileListEntry) throws {
        isOutdated = isOutdated || places[FileListKey(entry)] != nil
        insert(entry)
        try writer.append(entry)
        try writer.flush()
    }

    /// Forgets a subject; durable after ``compact()``.
    func forget(_ key: FileListKey) {
        guard let place = places.removeValue(forKey: key) else { return }
        lines[place] = nil
        isOutdated = true
    }

    /// Writes the list again if it has more than one line for each subject. Nothing can be noted afterwards.
    func compact() throws {
        if isOutdated { _ = try list.replace { write in for line in entries { try write(line) } } }
    }

    /// The record that proves the file at a path to be the copy's; nil if there is none. Reads it if its time doesn't
    /// decide.
    func proof(of path: String, _ facts: FileFacts, shouldStop: () -> Bool) throws(LibraryError) -> FileRecord? {
        for record in proofs[LibraryName.key(path)] ?? [] where record.size == facts.size {
            guard case .ours(let now) = try library.files.proves(path, is: record, shouldStop: shouldStop) else {
                continue
            }
            return FileRecord(size: now.size, modified: now.modified, sha256: record.sha256)
        }
        return nil
    }

    /// Removes a file that a line has proven; any other one stays.
    func remove(_ file: Known) throws(LibraryError) {
        do throws(LibraryError) {
            guard case .removed = try library.files.remove(file.path, record: file.record) else { return }
        } catch {
            switch error {
            // Somebody has put something else there.
            case .leadsOut, .notAFile, .notAFolder: return
            default: throw error
            }
        }
        try library.folders.flushNames(of: [file.path])
    }

    private func insert(_ entry: FileListEntry) {
        let key = FileListKey(entry)
        if let place = places[key] {
            lines[place] = entry
        } else {
            places[key] = lines.count
            lines.append(entry)
        }
        // The newest one first.
        for file in entry.files { proofs[LibraryName.key(file.path), default: []].insert(file.record, at: 0) }
    }
}

/// How the files of a library are called in a copy: as in the library, as far as the copy's file system takes that, and
/// never like the file of another video.
struct CopyNames {
    let cleans: Bool
    /// By what file systems compare.
    private var owners: [String: FileListKey] = [:]
    /// What was given out.
    private var given: Set<String> = []

    init(cleans: Bool) { self.cleans = cleans }

    mutating func insert(_ paths: [String], of key: FileListKey) {
        for path in paths { owners[LibraryName.key(path)] = key }
    }

    mutating func path(for path: String, of key: FileListKey, id: String) -> String {
        let wanted = cleans ? LibraryName.portable(path) : path
        let (folder, name) = LibraryPathParts.split(wanted)
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for attempt in 0..<1000 {
            let stem =
                attempt == 0
                ? String(name[..<dot])
                : LibraryName.distinct(
                    String(name[..<dot]), id: id, attempt: attempt)
            let candidate = folder.isEmpty ? stem + name[dot...] : "\(folder)/\(stem)\(name[dot...])"
            let taken = LibraryName.key(candidate)
            if owners[taken] ?? key == key, given.insert(taken).inserted {
                owners[taken] = key
                return candidate
            }
        }
        return wanted
    }
}

extension FileListEntry {
    /// The files that a line names.
    var files: [CopyTarget.Known] {
        var files = (beside ?? []).map { CopyTarget.Known(path: $0.path, record: $0.record) }
        if let path, let size {
            files.append(
                .init(path: path, record: FileRecord(size: size, modified: modified, sha256: Self.checksum(sha256))))
        }
        return files
    }

    static func checksum(_ hex: String?) -> Checksum? {
        hex.flatMap(Checksum.init(hex:)).flatMap { $0.count == 32 ? $0 : nil }
    }
}

extension FileListEntry.Beside {
    var record: FileRecord {
        FileRecord(size: size, modified: modified, sha256: FileListEntry.checksum(sha256))
    }
}
