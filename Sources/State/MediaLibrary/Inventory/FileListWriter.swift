import CPlatform
import FileSystem
import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open ``FileList`` for appending. For one thread.
package final class FileListWriter {
    private let descriptor: CInt
    /// The owner of the descriptor; nil if that is this object.
    private let draft: DraftFile?
    private let path: String
    private let encoder = JSONEncoder()
    private var buffer: [UInt8] = []
    /// The number of written lines.
    package private(set) var lines = 0

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

    package func append(_ record: some Encodable) throws {
        buffer += try encoder.encode(record)
        buffer.append(UInt8(ascii: "\n"))
        lines += 1
        if buffer.count >= 256 * 1024 { try send() }
    }

    func appendLineBreak() throws(Errno) {
        buffer.append(UInt8(ascii: "\n"))
        try send()
    }

    /// Writes all buffered lines to the file system.
    package func send() throws(Errno) {
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
    package func flush() throws(LibraryError) {
        do {
            try send()
            try systemCall { cf_flush_data(descriptor) }
        } catch {
            throw .system(.flush, path: path, error)
        }
    }
}
