import CPlatform
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open folder, and the system calls on names in it. A name is a single component; none of these follows a link.
///
/// Each throws the system's `Errno`; the caller adds the path.
package final class FolderHandle: Sendable {
    /// Closed with the last reference.
    package let descriptor: CInt

    /// Takes the descriptor over.
    package init(owning descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    package enum Entry: Sendable, Hashable {
        case file(FileFacts)
        case folder
        case link
        case other
    }

    /// Nil if the name is free.
    package func entry(_ name: String) throws(Errno) -> Entry? {
        var facts = stat()
        do {
            try systemCall { fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) }
        } catch .noSuchFileOrDirectory {
            return nil
        }
        return Entry(facts)
    }

    /// The kind of an open descriptor.
    package static func entry(descriptor: CInt) throws(Errno) -> Entry {
        var facts = stat()
        try systemCall { fstat(descriptor, &facts) }
        return Entry(facts)
    }

    /// Opens the folder at a path, which may contain links.
    ///
    /// - Parameter orEnter: also opens a folder that is executable but not readable; it can't be listed.
    package init(at path: FilePath, orEnter: Bool = false) throws(Errno) {
        func open(_ flags: CInt) throws(Errno) -> CInt {
            try systemCall { path.withPlatformString { openat(AT_FDCWD, $0, flags | O_DIRECTORY | O_CLOEXEC) } }
        }
        do {
            descriptor = try open(O_RDONLY)
        } catch {
            guard orEnter, error == .permissionDenied else { throw error }
            descriptor = try open(cf_enter_only)
        }
    }

    /// Opens or creates a file. Never waits for the other end of a pipe.
    package func open(_ name: String, _ flags: CInt, mode: UInt16 = 0o666) throws(Errno) -> CInt {
        try systemCall { openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode_t(mode)) }
    }

    /// Opens a folder in this one.
    package func folder(_ name: String) throws(Errno) -> FolderHandle {
        FolderHandle(
            owning: try systemCall { openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
    }

    /// Opens a folder some levels below, in one call. Throws `noFunction` or `notPermitted` if that isn't possible.
    package func beneath(_ path: String) throws(Errno) -> FolderHandle {
        FolderHandle(owning: try systemCall { cf_open_beneath(descriptor, path, O_RDONLY | O_DIRECTORY, 0) })
    }

    /// Opens a file some levels below. No link is followed, wherever it is; a special file doesn't block.
    ///
    /// - Parameter isStepwise: component by component, as on a kernel without `openat2`.
    /// - Throws: `tooManySymbolicLinkLevels` or `notDirectory` for a link, `improperLink` for a path that leaves,
    ///   `invalidArgument` for a special file.
    package func file(beneath path: String, _ flags: CInt, isStepwise: Bool = false) throws(Errno) -> CInt {
        let descriptor = try isStepwise ? openStepwise(path, flags) : openInOneCall(path, flags)
        do throws(Errno) {
            guard case .file = try Self.entry(descriptor: descriptor) else { throw .invalidArgument }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func openInOneCall(_ path: String, _ flags: CInt) throws(Errno) -> CInt {
        do {
            return try systemCall { cf_open_beneath(descriptor, path, flags | O_NONBLOCK | O_NOCTTY, 0) }
        } catch .noFunction, .notPermitted {
            return try openStepwise(path, flags)
        }
    }

    private func openStepwise(_ path: String, _ flags: CInt) throws(Errno) -> CInt {
        var names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        guard !path.hasPrefix("/"), !names.contains("..") else { throw .improperLink }
        guard let last = names.popLast() else { throw .isDirectory }
        var handle = self
        for name in names { handle = try handle.folder(name) }
        return try handle.open(last, flags | O_NOCTTY)
    }

    /// Creates a folder; an existing entry of that name isn't touched.
    package func makeFolder(_ name: String) throws(Errno) {
        do { try systemCall { mkdirat(descriptor, name, 0o777) } } catch .fileExists {}
    }

    /// Renames and never replaces: throws `fileExists` instead. If the file system can't do that in one step it is a
    /// link and an unlink; after a kill in between, the next call completes it.
    ///
    /// If a file system has neither, the new name is first taken by an empty file of our own, which is then replaced;
    /// after a kill in between, the next call replaces it, too.
    package func rename(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        do {
            do {
                try systemCall { cf_rename_exclusive(descriptor, name, folder.descriptor, newName) }
            } catch  where error.isUnsupported {
                try linkAndUnlink(name, to: folder, newName)
            }
        } catch .fileExists {
            guard try hasClaimed(newName, in: folder, for: name) else { throw .fileExists }
            try replaceClaim(newName, in: folder, with: name)
        }
    }

    /// ``rename(_:to:_:)`` without `renameat2`.
    func linkAndUnlink(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        do {
            try link(name, to: folder, newName)
        } catch .fileExists {
            guard case .file(let mine)? = try entry(name), case .file(let there)? = try folder.entry(newName),
                mine.inode == there.inode, mine.links > 1, try device(of: name) == folder.device(of: newName)
            else { throw .fileExists }
        } catch  where error.isUnsupported || error == .notPermitted {
            return try claimAndReplace(name, to: folder, newName)
        }
        try remove(name)
    }

    /// Swaps two names in one step.
    package func exchange(_ name: String, with folder: FolderHandle, _ other: String) throws(Errno) {
        try systemCall { cf_rename_exchange(descriptor, name, folder.descriptor, other) }
    }

    /// Renames over any file with the new name. Only after a proof that it is ours.
    package func replace(_ name: String, over folder: FolderHandle, _ newName: String) throws(Errno) {
        try systemCall { renameat(descriptor, name, folder.descriptor, newName) }
    }

    /// Gives a file a second name; never replaces.
    package func link(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        try systemCall { linkat(descriptor, name, folder.descriptor, newName, 0) }
    }

    /// Removes a file's name; a missing one is fine.
    package func remove(_ name: String) throws(Errno) {
        do { try systemCall { unlinkat(descriptor, name, 0) } } catch .noSuchFileOrDirectory {}
    }

    /// Removes a folder if it is empty. False if it isn't, or is missing.
    package func removeFolder(_ name: String) throws(Errno) -> Bool {
        do {
            try systemCall { unlinkat(descriptor, name, AT_REMOVEDIR) }
            return true
        } catch .directoryNotEmpty, .fileExists, .noSuchFileOrDirectory, .notDirectory, .resourceBusy {
            return false
        }
    }

    /// Makes the names in this folder durable. File systems that can't flush a folder do so by themselves, and a folder
    /// that can't be read can't be flushed: no error.
    package func flush() throws(Errno) {
        do {
            try systemCall { fsync(descriptor) }
        } catch .invalidArgument, .notSupported, .notSupportedOnSocket, .badFileDescriptor {}
    }

    /// The space of its file system; nil if that doesn't say.
    package func space() throws(Errno) -> VolumeSpace? {
        var facts = statvfs()
        try systemCall { fstatvfs(descriptor, &facts) }
        return VolumeSpace(facts)
    }

    /// Whether it is the same folder: device and inode.
    package func isSame(as other: FolderHandle) -> Bool {
        var (mine, there) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, fstat(other.descriptor, &there) == 0 else { return false }
        return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
    }

    private func device(of name: String) throws(Errno) -> UInt64 {
        var facts = stat()
        try systemCall { fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) }
        return UInt64(facts.st_dev)
    }
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
