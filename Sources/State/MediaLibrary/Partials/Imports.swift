import CPlatform
import Crypto
package import FileSystem
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes partials from files outside the library, which stay as they are.
///
/// Such a partial is then handled like any other. An earlier partial of its name is replaced.
package struct Imports: Sendable {
    /// A file outside, open for reading, or its beginning.
    package struct Piece {
        package var descriptor: CInt
        /// How many bytes of it; nil for all.
        package var length: Int64?

        package init(_ descriptor: CInt, length: Int64? = nil) {
            self.descriptor = descriptor
            self.length = length
        }
    }

    private static let blockSize = 1 << 20
    private let partials: PrivateFolder

    init(partials: PrivateFolder) { self.partials = partials }

    /// Gives a file outside a second name, that of the partial. Its content is durable on return.
    ///
    /// False if the file systems are different ones, or have no links, or if the name leads to another file than
    /// `proven` now.
    package func link(
        _ name: String, in folder: FolderHandle, proven: FileFacts, as partial: PartialName
    ) throws(LibraryError) -> Bool {
        do throws(Errno) {
            try partials.handle.remove(partial.fileName)
            do throws(Errno) {
                try folder.link(name, to: partials.handle, partial.fileName)
            } catch .improperLink, .notPermitted, .tooManyLinks, .notSupported, .noFunction, .invalidArgument {
                return false
            }
            guard case .file(let made)? = try partials.handle.entry(partial.fileName), made.isUnchanged(since: proven)
            else {
                try partials.handle.remove(partial.fileName)
                return false
            }
            let descriptor = try partials.handle.open(partial.fileName, O_RDONLY)
            defer { close(descriptor) }
            try systemCall { cf_flush_data(descriptor) }
            return true
        } catch { throw .system(.link, path: partial.fileName, error) }
    }

    /// Copies files outside, one after the other, into a partial. It is durable on return, and removed if this throws.
    ///
    /// - Parameter copied: called with the number of bytes of each block.
    /// - Returns: size and SHA-256 of the copied bytes. Fewer than wanted if a file has become shorter.
    package func copy(
        _ pieces: [Piece], as partial: PartialName, shouldStop: () -> Bool, copied: (Int64) -> Void
    ) throws(LibraryError) -> (size: Int64, sha256: Checksum) {
        do throws(Errno) {
            try partials.handle.remove(partial.fileName)
            let target = try partials.handle.open(partial.fileName, O_WRONLY | O_CREAT | O_EXCL)
            defer { close(target) }
            do throws(Errno) {
                var hasher = SHA256()
                var size: Int64 = 0
                for piece in pieces {
                    try Self.blocks(of: piece, shouldStop: shouldStop) { block throws(Errno) in
                        hasher.update(bufferPointer: block)
                        try Self.write(block, to: target, at: size)
                        size += Int64(block.count)
                        copied(Int64(block.count))
                    }
                }
                try systemCall { cf_flush_data(target) }
                return (size, Checksum(hasher.finalize()))
            } catch {
                try? partials.handle.remove(partial.fileName)
                throw error
            }
        } catch .canceled {
            throw .stopped
        } catch { throw .system(.write, path: partial.fileName, error) }
    }

    /// The SHA-256 of files outside, one after the other.
    package static func digest(
        of pieces: [Piece], shouldStop: () -> Bool
    ) throws(Errno) -> (size: Int64, sha256: Checksum) {
        var hasher = SHA256()
        var size: Int64 = 0
        for piece in pieces {
            try blocks(of: piece, shouldStop: shouldStop) { block throws(Errno) in
                hasher.update(bufferPointer: block)
                size += Int64(block.count)
            }
        }
        return (size, Checksum(hasher.finalize()))
    }

    private static func blocks(
        of piece: Piece, shouldStop: () -> Bool, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Void
    ) throws(Errno) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            if shouldStop() { throw .canceled }
            let wanted = min(Int64(buffer.count), piece.length.map { $0 - offset } ?? .max)
            guard wanted > 0 else { return }
            let count = pread(piece.descriptor, buffer.baseAddress, Int(wanted), off_t(offset))
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                throw error
            }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }

    private static func write(_ block: UnsafeRawBufferPointer, to descriptor: CInt, at start: Int64) throws(Errno) {
        var done = 0
        while done < block.count, let base = block.baseAddress {
            let count = pwrite(descriptor, base + done, block.count - done, off_t(start) + off_t(done))
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                throw error
            }
            done += count
        }
    }
}
