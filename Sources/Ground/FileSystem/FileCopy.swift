import CPlatform
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
        let from = try source.open(name, O_RDONLY)
        defer { close(from) }
        let facts = try FileFacts(descriptor: from)
        try target.remove(newName)
        let to = try target.open(newName, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(to) }
        do {
            var written: Int64 = 0
            let digest = try digest(of: from, shouldStop: shouldStop) { block throws(Errno) in
                try write(block, to: to, at: written)
                written += Int64(block.count)
            }
            setTime(facts.modified, of: to)
            try systemCall { cf_flush_data(to) }
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
        of descriptor: CInt, shouldStop: () -> Bool, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Void = { _ in }
    ) throws(Errno) -> Checksum {
        var hasher = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            if shouldStop() { throw .canceled }
            let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                throw error
            }
            if count == 0 { return Checksum(hasher.finalize()) }
            let block = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hasher.update(bufferPointer: block)
            try body(block)
            offset += off_t(count)
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
        let descriptor = try folder.open(name, O_RDONLY)
        defer { close(descriptor) }
        return try digest(of: descriptor, shouldStop: { false })
    }

    private static func write(_ block: UnsafeRawBufferPointer, to descriptor: CInt, at start: Int64) throws(Errno) {
        guard let base = block.baseAddress else { return }
        var done = 0
        while done < block.count {
            let count = pwrite(descriptor, base + done, block.count - done, off_t(start) + off_t(done))
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                throw error
            }
            done += count
        }
    }

    /// The arrival time is worth keeping, but not worth failing for.
    private static func setTime(_ nanoseconds: Int64, of descriptor: CInt) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        _ = withUnsafePointer(to: (time, time)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
        }
    }
}
