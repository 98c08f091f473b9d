package import SystemPackage

/// The calls of a file system, on descriptors and on names in open folders, as in openat(2). A name is a single
/// component; none of the calls follows a link. Each throws the system's `Errno`.
///
/// ``KernelCalls`` makes them. A test can put a file system of its own here, which fails at chosen calls.
package protocol FileSystemCalls: Sendable {
    /// Opens the folder at a path, which may contain links.
    func openFolder(at path: FilePath, flags: CInt) throws(Errno) -> CInt
    /// mkdir(2).
    func makeFolder(at path: FilePath) throws(Errno)
    /// What is at a path, which may contain links.
    func status(at path: FilePath) throws(Errno) -> EntryStatus
    func open(_ name: String, in folder: CInt, flags: CInt, mode: UInt16) throws(Errno) -> CInt
    /// openat2(2) with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`.
    func open(beneath path: String, in folder: CInt, flags: CInt) throws(Errno) -> CInt
    func close(_ descriptor: CInt)

    func status(of name: String, in folder: CInt) throws(Errno) -> EntryStatus
    func status(of descriptor: CInt) throws(Errno) -> EntryStatus
    /// Calls `body` with each name of a folder, see ``FolderHandle/forEachEntry(_:)``.
    func forEachEntry(
        of folder: CInt, _ body: (_ name: UnsafeRawBufferPointer, _ isFolder: Bool?) throws(Errno) -> Bool
    ) throws(Errno)
    /// Throws the reason why this account may not create names in the folder.
    func checkWritable(_ folder: CInt) throws(Errno)
    /// Nil if the file system doesn't say.
    func space(_ descriptor: CInt) throws(Errno) -> VolumeSpace?

    func makeFolder(_ name: String, in folder: CInt) throws(Errno)
    func rename(
        _ name: String, in folder: CInt, to newName: String, in newFolder: CInt, _ mode: RenameMode) throws(Errno)
    func link(_ name: String, in folder: CInt, to newName: String, in newFolder: CInt) throws(Errno)
    func unlink(_ name: String, in folder: CInt) throws(Errno)
    func removeFolder(_ name: String, in folder: CInt) throws(Errno)

    /// pread(2): the number of bytes, 0 at the end.
    func read(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    /// pwrite(2): the number of bytes that were written.
    func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    func truncate(_ descriptor: CInt, to size: Int64) throws(Errno)
    func setMode(_ descriptor: CInt, _ mode: UInt16) throws(Errno)
    /// The time of the last change, in nanoseconds since 1970.
    func setTime(_ descriptor: CInt, _ nanoseconds: Int64) throws(Errno)
    /// fsync(2).
    func flush(_ descriptor: CInt) throws(Errno)
    /// fdatasync(2).
    func flushData(_ descriptor: CInt) throws(Errno)
}

package enum RenameMode: Sendable {
    /// Over any file with the new name.
    case replacing
    /// Throws `fileExists` if the new name is taken; `invalidArgument` and the like if the file system can't do that.
    case exclusive
    /// Swaps the two names.
    case exchanging
}

/// What is at a name, and on which device.
package struct EntryStatus: Sendable {
    package var entry: FolderHandle.Entry
    /// Device and inode are unique on this machine.
    package var device: UInt64
    package var inode: UInt64

    package init(entry: FolderHandle.Entry, device: UInt64, inode: UInt64) {
        self.entry = entry
        self.device = device
        self.inode = inode
    }
}
