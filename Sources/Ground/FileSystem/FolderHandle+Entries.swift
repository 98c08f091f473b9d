package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FolderHandle {
    /// Calls `body` for each entry of the folder, without `.` and `..`, until it returns false.
    ///
    /// - Parameter body: gets the bytes of the name, valid during the call only, and whether it is a folder; nil if the
    ///   file system doesn't report that.
    package func forEachEntry(
        _ body: (_ name: UnsafeRawBufferPointer, _ isFolder: Bool?) throws(Errno) -> Bool
    ) throws(Errno) {
        // Its own open file description, so that two listings don't share a position.
        let own = try systemCall { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(own) else {
            let error = Errno(rawValue: errno)
            close(own)
            throw error
        }
        defer { closedir(stream) }
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw Errno(rawValue: errno) }
                return
            }
            let start = UnsafeRawPointer(entry) + offset
            let length = strlen(start.assumingMemoryBound(to: CChar.self))
            let name = UnsafeRawBufferPointer(start: start, count: length)
            if length <= 2, name.allSatisfy({ $0 == UInt8(ascii: ".") }) { continue }
            let kind = entry.pointee.d_type
            guard try body(name, kind == UInt8(DT_UNKNOWN) ? nil : kind == UInt8(DT_DIR)) else { return }
        }
    }
}
