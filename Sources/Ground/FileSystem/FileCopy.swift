import Crypto
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Copies of whole files: hashed while they are written, flushed, with the time of the original.
package enum FileCopy {
    private static let blockSize = 1 << 20

    /// Copies a file and flushes the copy; a leftover copy of that name is replaced.
    ///
    /// - Returns: the SHA-256 of the written bytes, in hexadecimal.
    @discardableResult
    package static func copy(
        _ name: String, in source: FolderHandle, to target: FolderHandle, _ newName: String,
        shouldStop: () -> Bool = { false }
    ) throws(Errno) -> Checksum {
        let from = try source.openFile(name, O_RDONLY)
        let facts = try from.facts()
        try target.remove(newName)
        let to = try target.openFile(newName, O_WRONLY | O_CREAT | O_EXCL)
        do {
            var written: Int64 = 0
            let digest = try digest(of: from, shouldStop: shouldStop) { block throws(Errno) in
                try to.write(block, at: written)
                written += Int64(block.count)
            }
            // The arrival time is worth keeping, but not worth failing for.
            try? target.calls.setTime(to.descriptor, facts.modified)
            try to.flushData()
            return digest
        } catch {
            // Ours: made by the exclusive creation above.
            try? target.remove(newName)
            throw error
        }
    }

    /// The SHA-256 of a whole open file; each block is passed to `body`. Throws `canceled` when `shouldStop` returns
    /// true, called before each block.
    package static func digest(
        of file: OpenFile, shouldStop: () -> Bool, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Void = { _ in }
    ) throws(Errno) -> Checksum {
        var hasher = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            if shouldStop() { throw .canceled }
            let count = try file.calls.read(file.descriptor, into: buffer, at: offset)
            if count == 0 { return Checksum(hasher.finalize()) }
            let block = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hasher.update(bufferPointer: block)
            try body(block)
            offset += Int64(count)
        }
    }

    /// Whether two files of a folder have the same bytes.
    package static func isEqual(_ folder: FolderHandle, _ one: String, _ other: String) throws(Errno) -> Bool {
        guard case .file(let first)? = try folder.entry(one), case .file(let second)? = try folder.entry(other),
            first.size == second.size
        else { return false }
        return try digest(of: one, in: folder) == digest(of: other, in: folder)
    }

    private static func digest(of name: String, in folder: FolderHandle) throws(Errno) -> Checksum {
        try digest(of: try folder.openFile(name, O_RDONLY), shouldStop: { false })
    }
}
