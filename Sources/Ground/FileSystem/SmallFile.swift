package import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads and writes content that fits in memory: small files, and pieces of large ones.
package enum SmallFile {
    /// The content of a regular file; nil if it is longer than `limit`. Throws `invalidArgument` for anything but a
    /// file.
    package static func read(_ descriptor: CInt, upTo limit: Int) throws(Errno) -> Data? {
        var facts = stat()
        try systemCall { fstat(descriptor, &facts) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count <= limit {
            let count = try read(descriptor, into: &chunk, at: bytes.count)
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
        return nil
    }

    /// Some bytes of an open file; nil if it ends before.
    package static func read(_ descriptor: CInt, _ range: Range<Int64>) throws(Errno) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let count = try read(descriptor, into: &bytes, from: done, at: Int(range.lowerBound) + done)
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }

    /// Writes at the beginning.
    package static func write(_ bytes: Data, to descriptor: CInt) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                all.baseAddress.map { pwrite(descriptor, $0 + done, all.count - done, off_t(done)) } ?? 0
            }
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                throw error
            }
            done += count
        }
    }

    /// Fills the rest of `chunk` from `start` on, as far as one call does.
    private static func read(
        _ descriptor: CInt, into chunk: inout [UInt8], from start: Int = 0, at offset: Int
    ) throws(Errno) -> Int {
        while true {
            let count = chunk.withUnsafeMutableBytes { room in
                room.baseAddress.map { pread(descriptor, $0 + start, room.count - start, off_t(offset)) } ?? 0
            }
            if count >= 0 { return count }
            let error = Errno(rawValue: errno)
            if error != .interrupted { throw error }
        }
    }
}
