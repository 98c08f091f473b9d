package import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reading and writing files that fit in memory.
package enum SmallFile {
    /// The content of a regular file; nil if it is longer than `limit`. Throws `invalidArgument` for anything but a file.
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

    private static func read(_ descriptor: CInt, into chunk: inout [UInt8], at offset: Int) throws(Errno) -> Int {
        while true {
            let count = chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count >= 0 { return count }
            let error = Errno(rawValue: errno)
            if error != .interrupted { throw error }
        }
    }
}
