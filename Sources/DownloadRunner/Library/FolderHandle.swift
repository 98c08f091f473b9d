import CPlatform
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open folder, and the system calls on names in it. A name is a single component; none of these follows a link.
///
/// Each throws the system's `Errno`; whoever knows the path makes a ``LibraryError`` of it.
final class FolderHandle: Sendable {
    /// Closed with the last reference.
    let descriptor: CInt

    /// Takes the descriptor over.
    init(owning descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// What a name stands for.
    enum Entry: Hashable {
        case file(FileFacts)
        case folder
        case link
        case other
    }

    /// Nil where the name isn't taken.
    func entry(_ name: String) throws(Errno) -> Entry? {
        var facts = stat()
        do {
            try call { fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) }
        } catch .noSuchFileOrDirectory {
            return nil
        }
        return Entry(facts)
    }

    /// What an open descriptor is.
    static func entry(descriptor: CInt) throws(Errno) -> Entry {
        var facts = stat()
        try call { fstat(descriptor, &facts) }
        return Entry(facts)
    }

    /// Opens or creates a file. Never waits for the other end of a pipe.
    func open(_ name: String, _ flags: CInt, mode: mode_t = 0o666) throws(Errno) -> CInt {
        try call { openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode) }
    }

    /// Opens a folder in this one.
    func folder(_ name: String) throws(Errno) -> FolderHandle {
        FolderHandle(owning: try call { openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
    }

    /// Opens a folder some levels below, in one call. Throws `noFunction` or `notPermitted` where that can't be done.
    func beneath(_ path: String) throws(Errno) -> FolderHandle {
        FolderHandle(owning: try call { cf_open_beneath(descriptor, path, O_RDONLY | O_DIRECTORY, 0) })
    }

    /// Creates a folder; an existing one, or anything else of that name, is left alone.
    func makeFolder(_ name: String) throws(Errno) {
        do { try call { mkdirat(descriptor, name, 0o777) } } catch .fileExists {}
    }

    /// Renames and never replaces: throws `fileExists` instead. Where the file system can't do that in one step it is a link
    /// and an unlink; if a kill came in between, the next call finishes it.
    ///
    /// Where a file system has neither, the new name is first taken by an empty file of our own, which is then replaced.
    func rename(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        do {
            try call { cf_rename_exclusive(descriptor, name, folder.descriptor, newName) }
        } catch  where error.isUnsupported {
            try linkAndUnlink(name, to: folder, newName)
        }
    }

    /// What ``rename(_:to:_:)`` does without `renameat2`.
    func linkAndUnlink(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        do {
            try link(name, to: folder, newName)
        } catch .fileExists {
            guard case .file(let mine)? = try entry(name), case .file(let there)? = try folder.entry(newName),
                mine.inode == there.inode, mine.links > 1, try device(of: name) == folder.device(of: newName)
            else { throw .fileExists }
        } catch  where error.isUnsupported || error == .notPermitted {
            return try reserveAndReplace(name, to: folder, newName)
        }
        try remove(name)
    }

    /// The last resort: the exclusive creation of an empty file claims the name, and only that file is replaced.
    func reserveAndReplace(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        close(try folder.open(newName, O_WRONLY | O_CREAT | O_EXCL))
        do {
            try call { renameat(descriptor, name, folder.descriptor, newName) }
        } catch {
            try? folder.remove(newName)
            throw error
        }
    }

    /// Swaps two names in one step.
    func exchange(_ name: String, with folder: FolderHandle, _ other: String) throws(Errno) {
        try call { cf_rename_exchange(descriptor, name, folder.descriptor, other) }
    }

    /// Renames over whatever file has the new name. Only after a proof that it is ours.
    func replace(_ name: String, over folder: FolderHandle, _ newName: String) throws(Errno) {
        try call { renameat(descriptor, name, folder.descriptor, newName) }
    }

    /// Gives a file a second name; never replaces.
    func link(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        try call { linkat(descriptor, name, folder.descriptor, newName, 0) }
    }

    /// Removes a file's name; a missing one is fine.
    func remove(_ name: String) throws(Errno) {
        do { try call { unlinkat(descriptor, name, 0) } } catch .noSuchFileOrDirectory {}
    }

    /// Removes a folder if it is empty. False if it isn't, or isn't there.
    func removeFolder(_ name: String) throws(Errno) -> Bool {
        do {
            try call { unlinkat(descriptor, name, AT_REMOVEDIR) }
            return true
        } catch .directoryNotEmpty, .fileExists, .noSuchFileOrDirectory, .notDirectory, .resourceBusy {
            return false
        }
    }

    /// Makes the names in this folder durable. File systems that can't flush a folder do so by themselves: no error.
    func flush() throws(Errno) {
        do { try call { fsync(descriptor) } } catch .invalidArgument, .notSupported, .notSupportedOnSocket {}
    }

    /// Bytes that this account may still write.
    func freeSpace() throws(Errno) -> Int64 {
        var facts = statvfs()
        try call { fstatvfs(descriptor, &facts) }
        let (bytes, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }

    /// Whether it is the very same folder: device and inode.
    func isSame(as other: FolderHandle) -> Bool {
        var (mine, there) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, fstat(other.descriptor, &there) == 0 else { return false }
        return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
    }

    private func device(of name: String) throws(Errno) -> UInt64 {
        var facts = stat()
        try call { fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) }
        return UInt64(facts.st_dev)
    }
}

/// Makes a system call, again if a signal interrupted it, and throws its error.
@discardableResult
func call(_ body: () -> CInt) throws(Errno) -> CInt {
    // openat2 reports EAGAIN when a rename elsewhere raced with it; more than a few in a row is something else.
    for _ in 0..<64 {
        let result = body()
        if result != -1 { return result }
        let error = Errno(rawValue: errno)
        guard error == .interrupted || error == .resourceTemporarilyUnavailable else { throw error }
    }
    throw Errno(rawValue: errno)
}

extension Errno {
    /// The file system or the kernel doesn't know the call.
    var isUnsupported: Bool { self == .invalidArgument || self == .noFunction || self == .notSupported }
}

extension FolderHandle.Entry {
    init(_ facts: stat) {
        switch facts.st_mode & S_IFMT {
        case S_IFREG: self = .file(FileFacts(facts))
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        default: self = .other
        }
    }
}

extension FileFacts {
    init(_ facts: stat) {
        #if canImport(Darwin)
        let time = facts.st_mtimespec
        #else
        let time = facts.st_mtim
        #endif
        self.init(
            size: Int64(facts.st_size), modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec),
            inode: UInt64(facts.st_ino), links: Int(facts.st_nlink))
    }

    /// Of an open file.
    init(descriptor: CInt) throws(Errno) {
        var facts = stat()
        try call { fstat(descriptor, &facts) }
        self.init(facts)
    }
}
