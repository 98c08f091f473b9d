import CPlatform
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file systems of this machine.
package struct KernelCalls: FileSystemCalls {
    package init() {}

    package func openFolder(at path: FilePath, flags: CInt) throws(Errno) -> CInt {
        try systemCall { path.withPlatformString { openat(AT_FDCWD, $0, flags | O_DIRECTORY | O_CLOEXEC) } }
    }

    package func makeFolder(at path: FilePath) throws(Errno) {
        try systemCall { path.withPlatformString { mkdir($0, 0o777) } }
    }

    package func status(at path: FilePath) throws(Errno) -> EntryStatus {
        var facts = stat()
        try systemCall { path.withPlatformString { stat($0, &facts) } }
        return EntryStatus(facts)
    }

    package func open(_ name: String, in folder: CInt, flags: CInt, mode: UInt16) throws(Errno) -> CInt {
        try systemCall { openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode_t(mode)) }
    }

    package func open(beneath path: String, in folder: CInt, flags: CInt) throws(Errno) -> CInt {
        try systemCall { cf_open_beneath(folder, path, flags, 0) }
    }

    package func close(_ descriptor: CInt) { _ = closeDescriptor(descriptor) }

    package func status(of name: String, in folder: CInt) throws(Errno) -> EntryStatus {
        var facts = stat()
        try systemCall { fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) }
        return EntryStatus(facts)
    }

    package func status(of descriptor: CInt) throws(Errno) -> EntryStatus {
        var facts = stat()
        try systemCall { fstat(descriptor, &facts) }
        return EntryStatus(facts)
    }

    package func forEachEntry(
        of folder: CInt, _ body: (_ name: UnsafeRawBufferPointer, _ isFolder: Bool?) throws(Errno) -> Bool
    ) throws(Errno) {
        // Its own open file description, so that two listings don't share a position.
        let own = try systemCall { openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
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

    package func checkWritable(_ folder: CInt) throws(Errno) {
        try systemCall { faccessat(folder, ".", W_OK, 0) }
    }

    package func space(_ descriptor: CInt) throws(Errno) -> VolumeSpace? {
        var facts = statvfs()
        try systemCall { fstatvfs(descriptor, &facts) }
        return VolumeSpace(facts)
    }

    package func makeFolder(_ name: String, in folder: CInt) throws(Errno) {
        try systemCall { mkdirat(folder, name, 0o777) }
    }

    package func rename(
        _ name: String, in folder: CInt, to newName: String, in newFolder: CInt, _ mode: RenameMode
    ) throws(Errno) {
        try systemCall {
            switch mode {
            case .replacing: renameat(folder, name, newFolder, newName)
            case .exclusive: cf_rename_exclusive(folder, name, newFolder, newName)
            case .exchanging: cf_rename_exchange(folder, name, newFolder, newName)
            }
        }
    }

    package func link(_ name: String, in folder: CInt, to newName: String, in newFolder: CInt) throws(Errno) {
        try systemCall { linkat(folder, name, newFolder, newName, 0) }
    }

    package func unlink(_ name: String, in folder: CInt) throws(Errno) {
        try systemCall { unlinkat(folder, name, 0) }
    }

    package func removeFolder(_ name: String, in folder: CInt) throws(Errno) {
        try systemCall { unlinkat(folder, name, AT_REMOVEDIR) }
    }

    package func read(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int {
        try sizedCall { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    package func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try sizedCall { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func truncate(_ descriptor: CInt, to size: Int64) throws(Errno) {
        try systemCall { ftruncate(descriptor, off_t(size)) }
    }

    package func setMode(_ descriptor: CInt, _ mode: UInt16) throws(Errno) {
        try systemCall { fchmod(descriptor, mode_t(mode)) }
    }

    package func setTime(_ descriptor: CInt, _ nanoseconds: Int64) throws(Errno) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        try systemCall {
            withUnsafePointer(to: (time, time)) { pair in
                pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
            }
        }
    }

    package func flush(_ descriptor: CInt) throws(Errno) { try systemCall { fsync(descriptor) } }

    package func flushData(_ descriptor: CInt) throws(Errno) { try systemCall { cf_flush_data(descriptor) } }

    /// A call that returns a number of bytes, again if a signal interrupted it.
    private func sizedCall(_ body: () -> Int) throws(Errno) -> Int {
        while true {
            let count = body()
            if count >= 0 { return count }
            let error = Errno(rawValue: errno)
            if error != .interrupted { throw error }
        }
    }
}

/// `close` of the C library, whose name the method of ``KernelCalls`` hides.
private func closeDescriptor(_ descriptor: CInt) -> CInt { close(descriptor) }

extension EntryStatus {
    init(_ facts: stat) {
        self.init(
            entry: FolderHandle.Entry(facts), device: UInt64(truncatingIfNeeded: facts.st_dev),
            inode: UInt64(facts.st_ino))
    }
}
