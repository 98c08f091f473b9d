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
    package let calls: any FileSystemCalls

    /// Takes the descriptor over.
    init(owning descriptor: CInt, calls: any FileSystemCalls) {
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { calls.close(descriptor) }

    package enum Entry: Sendable, Hashable {
        case file(FileFacts)
        case folder
        case link
        case other
    }

    /// Nil if the name is free.
    package func entry(_ name: String) throws(Errno) -> Entry? {
        do {
            return try calls.status(of: name, in: descriptor).entry
        } catch .noSuchFileOrDirectory {
            return nil
        }
    }

    /// The kind of an open descriptor.
    package static func entry(descriptor: CInt) throws(Errno) -> Entry {
        try KernelCalls().status(of: descriptor).entry
    }

    /// Opens the folder at a path, which may contain links.
    ///
    /// - Parameter orEnter: also opens a folder that is executable but not readable; it can't be listed.
    package init(
        at path: FilePath, orEnter: Bool = false, calls: any FileSystemCalls = KernelCalls()
    ) throws(Errno) {
        self.calls = calls
        do {
            descriptor = try calls.openFolder(at: path, flags: O_RDONLY)
        } catch {
            guard orEnter, error == .permissionDenied else { throw error }
            descriptor = try calls.openFolder(at: path, flags: cf_enter_only)
        }
    }

    /// Opens or creates a file. Never waits for the other end of a pipe.
    package func open(_ name: String, _ flags: CInt, mode: UInt16 = 0o666) throws(Errno) -> CInt {
        try calls.open(name, in: descriptor, flags: flags | O_NONBLOCK, mode: mode)
    }

    /// Like ``open(_:_:mode:)``, closed with the last reference.
    package func openFile(_ name: String, _ flags: CInt, mode: UInt16 = 0o666) throws(Errno) -> OpenFile {
        OpenFile(owning: try open(name, flags, mode: mode), calls: calls)
    }

    /// Opens a folder in this one.
    package func folder(_ name: String) throws(Errno) -> FolderHandle {
        FolderHandle(
            owning: try calls.open(name, in: descriptor, flags: O_RDONLY | O_DIRECTORY, mode: 0), calls: calls)
    }

    /// Opens a folder some levels below, in one call. Throws `noFunction` or `notPermitted` if that isn't possible.
    package func beneath(_ path: String) throws(Errno) -> FolderHandle {
        FolderHandle(
            owning: try calls.open(beneath: path, in: descriptor, flags: O_RDONLY | O_DIRECTORY), calls: calls)
    }

    /// Opens a file some levels below. No link is followed, wherever it is; a special file doesn't block.
    ///
    /// - Parameter isStepwise: component by component, as on a kernel without `openat2`.
    /// - Throws: `tooManySymbolicLinkLevels` or `notDirectory` for a link, `improperLink` for a path that leaves,
    ///   `invalidArgument` for a special file.
    package func file(beneath path: String, _ flags: CInt, isStepwise: Bool = false) throws(Errno) -> CInt {
        let descriptor = try isStepwise ? openStepwise(path, flags) : openInOneCall(path, flags)
        do throws(Errno) {
            guard case .file = try calls.status(of: descriptor).entry else { throw .invalidArgument }
            return descriptor
        } catch {
            calls.close(descriptor)
            throw error
        }
    }

    private func openInOneCall(_ path: String, _ flags: CInt) throws(Errno) -> CInt {
        do {
            return try calls.open(beneath: path, in: descriptor, flags: flags | O_NONBLOCK | O_NOCTTY)
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
        do { try calls.makeFolder(name, in: descriptor) } catch .fileExists {}
    }

    /// Renames and never replaces: throws `fileExists` instead. If the file system can't do that in one step it is a
    /// link and an unlink; after a kill in between, the next call completes it.
    ///
    /// If a file system has neither, the new name is first taken by an empty file of our own, which is then replaced;
    /// after a kill in between, the next call replaces it, too.
    package func rename(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        do {
            do {
                try calls.rename(name, in: descriptor, to: newName, in: folder.descriptor, .exclusive)
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
            let mine = try calls.status(of: name, in: descriptor)
            guard let there = try? calls.status(of: newName, in: folder.descriptor),
                case .file(let facts) = mine.entry, facts.links > 1, mine.inode == there.inode,
                mine.device == there.device
            else { throw .fileExists }
        } catch  where error.isUnsupported || error == .notPermitted {
            return try claimAndReplace(name, to: folder, newName)
        }
        try remove(name)
    }

    /// Swaps two names in one step.
    package func exchange(_ name: String, with folder: FolderHandle, _ other: String) throws(Errno) {
        try calls.rename(name, in: descriptor, to: other, in: folder.descriptor, .exchanging)
    }

    /// Renames over any file with the new name. Only after a proof that it is ours.
    package func replace(_ name: String, over folder: FolderHandle, _ newName: String) throws(Errno) {
        try calls.rename(name, in: descriptor, to: newName, in: folder.descriptor, .replacing)
    }

    /// Gives a file a second name; never replaces.
    package func link(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        try calls.link(name, in: descriptor, to: newName, in: folder.descriptor)
    }

    /// Removes a file's name; a missing one is fine.
    package func remove(_ name: String) throws(Errno) {
        do { try calls.unlink(name, in: descriptor) } catch .noSuchFileOrDirectory {}
    }

    /// Removes a folder if it is empty. False if it isn't, or is missing.
    package func removeFolder(_ name: String) throws(Errno) -> Bool {
        do {
            try calls.removeFolder(name, in: descriptor)
            return true
        } catch .directoryNotEmpty, .fileExists, .noSuchFileOrDirectory, .notDirectory, .resourceBusy {
            return false
        }
    }

    /// Makes the names in this folder durable. File systems that can't flush a folder do so by themselves, and a folder
    /// that can't be read can't be flushed: no error.
    package func flush() throws(Errno) {
        do {
            try calls.flush(descriptor)
        } catch .invalidArgument, .notSupported, .notSupportedOnSocket, .badFileDescriptor {}
    }

    /// The space of its file system; nil if that doesn't say.
    package func space() throws(Errno) -> VolumeSpace? { try calls.space(descriptor) }

    /// Throws the reason why this account may not create names in it.
    package func checkWritable() throws(Errno) { try calls.checkWritable(descriptor) }

    /// Calls `body` for each entry of the folder, without `.` and `..`, until it returns false.
    ///
    /// - Parameter body: gets the bytes of the name, valid during the call only, and whether it is a folder; nil if the
    ///   file system doesn't report that.
    package func forEachEntry(
        _ body: (_ name: UnsafeRawBufferPointer, _ isFolder: Bool?) throws(Errno) -> Bool
    ) throws(Errno) {
        try calls.forEachEntry(of: descriptor, body)
    }

    /// Whether it is the same folder: device and inode.
    package func isSame(as other: FolderHandle) -> Bool {
        guard let mine = try? calls.status(of: descriptor), let there = try? other.calls.status(of: other.descriptor)
        else { return false }
        return mine.device == there.device && mine.inode == there.inode
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
