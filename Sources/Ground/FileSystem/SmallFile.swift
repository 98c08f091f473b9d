package import Foundation
package import SystemPackage

/// Reads and writes content that fits in memory: small files, and pieces of large ones.
package enum SmallFile {
    /// The content of a regular file; nil if it is longer than `limit`. Throws `invalidArgument` for anything but a
    /// file.
    package static func read(
        _ descriptor: CInt, upTo limit: Int, by calls: any FileSystemCalls = KernelCalls()
    ) throws(Errno) -> Data? {
        guard case .file = try calls.status(of: descriptor).entry else { throw .invalidArgument }
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count <= limit {
            let count = try fill(&chunk, from: descriptor, at: Int64(bytes.count), by: calls)
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
        return nil
    }

    /// Some bytes of an open file; nil if it ends before.
    package static func read(
        _ descriptor: CInt, _ range: Range<Int64>, by calls: any FileSystemCalls = KernelCalls()
    ) throws(Errno) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let count = try fill(&bytes, after: done, from: descriptor, at: range.lowerBound + Int64(done), by: calls)
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }

    /// Writes all of it at an offset.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at start: Int64 = 0,
        by calls: any FileSystemCalls = KernelCalls()
    ) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try calls.write(descriptor, rest, at: start + Int64(done))
        }
    }

    /// Writes at the beginning.
    package static func write(
        _ bytes: Data, to descriptor: CInt, by calls: any FileSystemCalls = KernelCalls()
    ) throws(Errno) {
        try [UInt8](bytes).withUnsafeBufferPointer { all throws(Errno) in
            try write(UnsafeRawBufferPointer(all), to: descriptor, by: calls)
        }
    }

    /// Fills `chunk` after its first `done` bytes, as far as one call does.
    private static func fill(
        _ chunk: inout [UInt8], after done: Int = 0, from descriptor: CInt, at offset: Int64,
        by calls: any FileSystemCalls
    ) throws(Errno) -> Int {
        try chunk.withUnsafeMutableBufferPointer { all throws(Errno) in
            let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[done...]))
            return try calls.read(descriptor, into: rest, at: offset)
        }
    }
}
