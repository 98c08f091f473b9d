import FileSystem
import SystemPackage
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `.coursefetch/files.jsonl`: the proof of the library's files, beside them, in case the state is lost.
///
/// One record per line, appended as files are placed; the last line about a video counts. The first line names the
/// format. The list isn't trusted: its reader checks each line against the file. It contains no secrets.
package struct FileList<Record: Codable> {
    package struct Reading: Sendable, Equatable {
        /// Valid lines.
        package var lines = 0
        /// Invalid lines: torn, too long, or of another kind.
        package var damaged = 0
        /// Whether a later version wrote it: then nothing of it was read.
        package var isNewer = false
        /// Where the reading ended.
        package var mark = FileListMark()
    }

    /// `.coursefetch`, or the folder of a shard.
    private let home: FolderHandle
    /// From the library's root.
    private let path: String

    package init(of library: LibraryFolder) {
        self.init(in: library.home.handle, path: library.home.path)
    }

    /// - Parameter folder: its path, from the library's root.
    init(in home: FolderHandle, path folder: String) {
        self.home = home
        path = "\(folder)/\(FileListName.text)"
    }

    /// Its length in bytes; nil if there is none.
    package func size() throws(LibraryError) -> Int64? {
        let entry: FolderHandle.Entry?
        do { entry = try home.entry(name) } catch { throw .system(.inspect, path: path, error) }
        switch entry {
        case nil: return nil
        case .file(let facts): return facts.size
        default: throw .notAFile(path: path)
        }
    }

    /// Appends records; durable after ``FileListWriter/flush()``. There must be a list.
    package func open() throws(LibraryError) -> FileListWriter {
        do throws(Errno) {
            let descriptor = try home.open(name, O_RDWR | O_APPEND)
            guard case .file(let facts) = try FolderHandle.entry(descriptor: descriptor), facts.links == 1 else {
                close(descriptor)
                throw Errno.invalidArgument
            }
            let writer = FileListWriter(owning: descriptor, path: path)
            // A kill may have torn the last line: the next record begins a new one.
            var last: UInt8 = 0
            if facts.size > 0, pread(descriptor, &last, 1, off_t(facts.size - 1)) == 1, last != UInt8(ascii: "\n") {
                try writer.appendLineBreak()
            }
            return writer
        } catch {
            throw .system(.open, path: path, error)
        }
    }

    /// Writes the list again, atomically; durable on return. `body` gets a function that writes a record. Returns the
    /// number of lines.
    package func replace(_ body: (_ write: (Record) throws -> Void) throws -> Void) throws -> Int {
        do {
            let draft = try DraftFile(of: name, in: home)
            let writer = FileListWriter(draft, path: path)
            try writer.append(Header.current)
            try body { try writer.append($0) }
            try writer.send()
            try draft.replace()
            return writer.lines
        } catch let error as Errno {
            throw LibraryError.system(.write, path: path, error)
        }
    }

    /// Calls `body` with each record, in order. A missing list has none.
    ///
    /// - Parameter mark: the end of an earlier reading: what has come since is read, or all of a list that was written
    ///   again.
    package func read(
        after mark: FileListMark = FileListMark(), shouldStop: () -> Bool = { false },
        _ body: (Record) throws -> Void
    ) throws -> Reading {
        var reading = Reading()
        let descriptor: CInt
        do throws(Errno) {
            descriptor = try home.open(name, O_RDONLY)
        } catch {
            if error == .noSuchFileOrDirectory { return reading }
            throw LibraryError.system(.open, path: path, error)
        }
        defer { close(descriptor) }
        guard case .file(let facts)? = try? FolderHandle.entry(descriptor: descriptor), facts.size <= Bounds.file
        else {
            reading.damaged = 1
            return reading
        }
        reading.mark = FileListMark(inode: facts.inode, offset: mark.isEnd(in: descriptor, facts) ? mark.offset : 0)
        var isFirst = reading.mark.offset == 0
        var line: [UInt8] = []
        var isTooLong = false
        var block = [UInt8](repeating: 0, count: 256 * 1024)
        var offset = reading.mark.offset
        while true {
            if shouldStop() { throw LibraryError.stopped }
            let count = block.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            guard count > 0 else {
                if count < 0 { throw LibraryError.system(.read, path: path, Errno(rawValue: errno)) }
                reading.end(in: descriptor, isTorn: !line.isEmpty || isTooLong)
                return reading
            }
            var rest = block[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                reading.mark.offset = offset + Int64(end) + 1
                line += rest[..<end]
                rest = rest[(end + 1)...]
                defer {
                    line.removeAll(keepingCapacity: true)
                    isTooLong = false
                }
                if isFirst {
                    isFirst = false
                    guard reading.accepts(header: line) else { return reading }
                } else if !isTooLong, line.count <= Bounds.line,
                    let record = try? JSONReader.decode(Record.self, from: line)
                {
                    reading.lines += 1
                    try body(record)
                } else if !line.isEmpty {
                    reading.damaged += 1
                }
            }
            offset += Int64(count)
            line += rest
            if line.count > Bounds.line {
                isTooLong = true
                line.removeAll(keepingCapacity: true)
                // So that the end of it isn't taken for a line.
                line.append(UInt8(ascii: "?"))
            }
        }
    }
}

/// The end of a reading of a list, at the end of a line.
package struct FileListMark: Sendable, Equatable {
    /// Of the file: a list that was written again is another one, which may have got the number of one before it.
    var inode: UInt64 = 0
    /// Bytes read.
    var offset: Int64 = 0
    /// The last of them, at most 256.
    private var ending: [UInt8] = []

    /// Before the first reading.
    package init() {}

    init(inode: UInt64, offset: Int64) { (self.inode, self.offset) = (inode, offset) }

    /// Notes the last bytes before ``offset``.
    fileprivate mutating func noteEnding(in descriptor: CInt) { ending = Self.ending(descriptor, at: offset) }

    /// Whether this file is the one that was read, and has only grown since.
    fileprivate func isEnd(in descriptor: CInt, _ facts: FileFacts) -> Bool {
        inode == facts.inode && offset > 0 && offset <= facts.size && !ending.isEmpty
            && Self.ending(descriptor, at: offset) == ending
    }

    /// Empty if they can't be read.
    private static func ending(_ descriptor: CInt, at offset: Int64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(min(offset, 256)))
        let start = off_t(offset) - off_t(bytes.count)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, start) }
        return count == bytes.count ? bytes : []
    }
}

extension FileList.Reading {
    /// Whether this version reads what follows such a first line; if not, notes why.
    fileprivate mutating func accepts(header line: [UInt8]) -> Bool {
        let header = try? JSONReader.decode(Header.self, from: line)
        if let header, header.list == Header.current.list, header.version <= Header.current.version { return true }
        isNewer = header != nil
        damaged = header == nil ? 1 : 0
        // Nothing of it was read, and nothing will be as long as it begins so.
        mark = FileListMark()
        return false
    }

    /// Notes where the list ends.
    ///
    /// - Parameter isTorn: whether the last line has no line break.
    fileprivate mutating func end(in descriptor: CInt, isTorn: Bool) {
        if isTorn { damaged += 1 }
        mark.noteEnding(in: descriptor)
    }
}

/// The first line.
private struct Header: Codable {
    static let current = Header(list: "coursefetch files", version: 1)

    var list: String
    var version: Int
}

private enum Bounds {
    static let line = 256 * 1024
    /// The limit on its size: ten million files.
    static let file: Int64 = 4 << 30
}

private let name = FileListName.text
