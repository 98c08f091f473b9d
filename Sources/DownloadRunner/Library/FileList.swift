import CPlatform
import DownloadStore
import FileSystem
import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `.coursefetch/files.jsonl`: what proves the library's files, beside them, for the day on which the state is lost.
///
/// One ``KeptRecord`` a line, appended as files are placed; the last line about a video counts. The first line names the
/// format. Nothing in it is believed: whoever reads it holds each line against the file. It has no secrets.
struct FileList {
    /// What reading it came to.
    struct Reading: Sendable, Equatable {
        /// Lines that were understood.
        var lines = 0
        /// Lines that weren't: torn, too long, or of something else.
        var damaged = 0
        /// Written by a version that says more than this one understands: nothing of it was read.
        var isNewer = false
    }

    private struct Header: Codable {
        var list: String
        var version: Int
    }

    private static let name = "files.jsonl"
    private static let version = 1
    private static let longestLine = 256 * 1024
    /// More than this isn't read: it would be ten million files.
    private static let longest: Int64 = 4 << 30

    /// `.coursefetch`.
    let home: FolderHandle

    /// Its length in bytes; nil if there is none.
    func size() throws(LibraryError) -> Int64? {
        let entry: FolderHandle.Entry?
        do { entry = try home.entry(Self.name) } catch { throw .system(.inspect, path: Self.path, error) }
        switch entry {
        case nil: return nil
        case .file(let facts): return facts.size
        default: throw .notAFile(path: Self.path)
        }
    }

    /// Appends records; durable after ``FileListWriter/flush()``. There must be a list.
    func open() throws(LibraryError) -> FileListWriter {
        do throws(Errno) {
            let descriptor = try home.open(Self.name, O_RDWR | O_APPEND)
            guard case .file(let facts) = try FolderHandle.entry(descriptor: descriptor), facts.links == 1 else {
                close(descriptor)
                throw Errno.invalidArgument
            }
            let writer = FileListWriter(owning: descriptor, path: Self.path)
            // A kill may have torn the last line: what comes next begins a new one.
            var last: UInt8 = 0
            if facts.size > 0, pread(descriptor, &last, 1, off_t(facts.size - 1)) == 1, last != UInt8(ascii: "\n") {
                try writer.appendLineBreak()
            }
            return writer
        } catch {
            throw .system(.open, path: Self.path, error)
        }
    }

    /// Writes the list anew in one step; durable on return. `body` is called with what writes a record. Returns the lines.
    func replace(_ body: (_ write: (KeptRecord) throws -> Void) throws -> Void) throws -> Int {
        do {
            let draft = try DraftFile(of: Self.name, in: home)
            let writer = FileListWriter(draft, path: Self.path)
            try writer.append(Header(list: "coursefetch files", version: Self.version))
            try body { try writer.append($0) }
            try writer.send()
            try draft.replace()
            return writer.lines
        } catch let error as Errno {
            throw LibraryError.system(.write, path: Self.path, error)
        }
    }

    /// Calls `body` with each record, in order. A list that isn't there has none.
    func read(shouldStop: () -> Bool = { false }, _ body: (KeptRecord) throws -> Void) throws -> Reading {
        var reading = Reading()
        let descriptor: CInt
        do throws(Errno) {
            descriptor = try home.open(Self.name, O_RDONLY)
        } catch {
            if error == .noSuchFileOrDirectory { return reading }
            throw LibraryError.system(.open, path: Self.path, error)
        }
        defer { close(descriptor) }
        guard case .file(let facts)? = try? FolderHandle.entry(descriptor: descriptor), facts.size <= Self.longest
        else {
            reading.damaged = 1
            return reading
        }
        let decoder = JSONDecoder()
        var isFirst = true
        var line: [UInt8] = []
        var isTooLong = false
        var block = [UInt8](repeating: 0, count: 256 * 1024)
        var offset: Int64 = 0
        while true {
            if shouldStop() { throw LibraryError.stopped }
            let count = block.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            guard count > 0 else {
                if count < 0 { throw LibraryError.system(.read, path: Self.path, Errno(rawValue: errno)) }
                // What has no line break is torn.
                if !line.isEmpty || isTooLong { reading.damaged += 1 }
                return reading
            }
            offset += Int64(count)
            var rest = block[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                rest = rest[(end + 1)...]
                defer {
                    line.removeAll(keepingCapacity: true)
                    isTooLong = false
                }
                if isFirst {
                    isFirst = false
                    let header = try? decoder.decode(Header.self, from: Data(line))
                    guard let header, header.list == "coursefetch files", header.version <= Self.version else {
                        reading.isNewer = header != nil
                        reading.damaged = header == nil ? 1 : 0
                        return reading
                    }
                } else if !isTooLong, line.count <= Self.longestLine,
                    let record = try? decoder.decode(KeptRecord.self, from: Data(line))
                {
                    reading.lines += 1
                    try body(record)
                } else if !line.isEmpty {
                    reading.damaged += 1
                }
            }
            line += rest
            if line.count > Self.longestLine {
                isTooLong = true
                line.removeAll(keepingCapacity: true)
                // So that the end of it isn't taken for a line.
                line.append(UInt8(ascii: "?"))
            }
        }
    }

    private static let path = "\(LibraryPath.privateFolder)/\(name)"
}

/// An open ``FileList``, to append to. For one thread.
final class FileListWriter {
    private let descriptor: CInt
    /// The owner of the descriptor; nil if that is this object.
    private let draft: DraftFile?
    private let path: String
    private let encoder = JSONEncoder()
    private var buffer: [UInt8] = []
    /// Lines that were written.
    private(set) var lines = 0

    private init(_ descriptor: CInt, draft: DraftFile?, path: String) {
        self.descriptor = descriptor
        self.draft = draft
        self.path = path
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Appends to the list.
    convenience init(owning descriptor: CInt, path: String) { self.init(descriptor, draft: nil, path: path) }

    /// Writes a new list.
    convenience init(_ draft: DraftFile, path: String) { self.init(draft.descriptor, draft: draft, path: path) }

    deinit {
        if draft == nil { close(descriptor) }
    }

    /// One line.
    func append(_ record: some Encodable) throws {
        buffer += try encoder.encode(record)
        buffer.append(UInt8(ascii: "\n"))
        lines += 1
        if buffer.count >= 256 * 1024 { try send() }
    }

    func appendLineBreak() throws(Errno) {
        buffer.append(UInt8(ascii: "\n"))
        try send()
    }

    /// Hands all of it to the file system.
    func send() throws(Errno) {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                throw error
            }
            done += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Durable on return.
    func flush() throws(LibraryError) {
        do {
            try send()
            try systemCall { cf_flush_data(descriptor) }
        } catch {
            throw .system(.flush, path: path, error)
        }
    }
}
