#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SourceFolder {
    /// Calls `body` with the bytes of a file, piece by piece, until it returns false.
    ///
    /// - Parameter offset: where the first piece begins.
    package func forEachPiece(
        of path: String, from offset: Int = 0, _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let descriptor = try open(path) else { throw SourceProblem.missing(path: shown(path)) }
        defer { close(descriptor) }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 1)
        defer { room.deallocate() }
        var offset = offset
        while true {
            let count = pread(descriptor, room.baseAddress, room.count, off_t(offset))
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw SourceProblem.unreadable(path: shown(path), errno: code)
            }
            guard count > 0 else { return }
            offset += count
            guard try body(UnsafeRawBufferPointer(rebasing: room[..<count])) else { return }
        }
    }

    /// The first bytes of a file, at most `limit` and all of a shorter one; nil if there is none.
    package func beginning(of path: String, upTo limit: Int) throws(SourceProblem) -> [UInt8]? {
        guard let descriptor = try open(path) else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: min(limit, 128 << 10))
        while bytes.count < limit {
            let wanted = min(room.count, limit - bytes.count)
            let count = room.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(bytes.count)) }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw .unreadable(path: shown(path), errno: code)
            }
            guard count > 0 else { break }
            bytes.append(contentsOf: room[..<count])
        }
        return bytes
    }
}
