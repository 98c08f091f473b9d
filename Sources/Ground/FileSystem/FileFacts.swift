import CPlatform
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The metadata of a regular file.
package struct FileFacts: Sendable, Hashable {
    /// In bytes.
    package var size: Int64
    /// Time of the last change of the content, in nanoseconds since 1970.
    package var modified: Int64
    /// Its number on its file system.
    package var inode: UInt64
    /// How many names the file has.
    package var links: Int

    package init(size: Int64, modified: Int64, inode: UInt64, links: Int) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.links = links
    }

    /// Whether it is still the same file with the same content: inode and time are equal.
    package func isUnchanged(since then: FileFacts) -> Bool { inode == then.inode && modified == then.modified }
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
    package init(descriptor: CInt) throws(Errno) {
        var facts = stat()
        try systemCall { fstat(descriptor, &facts) }
        self.init(facts)
    }

    /// Of a path, whose links are followed; nil if nothing is there.
    package init?(at path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// When an open file was made, in nanoseconds since 1970; nil if its file system doesn't keep that.
    package static func made(descriptor: CInt) -> Int64? {
        var time: Int64 = 0
        return cf_birth_time(descriptor, &time) == 0 ? time : nil
    }
}
