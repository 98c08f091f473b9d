import CPlatform
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Facts about the file system that holds a path, or its nearest existing parent.
package enum VolumeFacts {
    /// Bytes that this account may still write; nil if unknown.
    package static func freeSpace(at path: FilePath) -> Int64? { space(at: path)?.free }

    /// Nil if unknown.
    package static func space(at path: FilePath) -> VolumeSpace? {
        var place = path
        while true {
            var facts = statvfs()
            if place.withPlatformString({ statvfs($0, &facts) }) == 0 { return VolumeSpace(facts) }
            guard place.removeLastComponent() else { return nil }
        }
    }

    /// Whether nobody can write there: the file system is mounted read-only.
    package static func isReadOnly(_ path: FilePath) -> Bool {
        var facts = statvfs()
        // ST_RDONLY (statvfs(3)).
        return path.withPlatformString { statvfs($0, &facts) } == 0 && UInt64(facts.f_flag) & 1 != 0
    }

    /// Whether it is in memory, so that it is lost at a restart.
    package static func isInMemory(_ path: FilePath) -> Bool {
        var place = path
        while true {
            let number = place.withCString { cf_file_system_type($0) }
            // tmpfs and ramfs (statfs(2)).
            if number >= 0 { return [0x0102_1994, 0x8584_58F6].contains(UInt32(truncatingIfNeeded: number)) }
            guard place.removeLastComponent() else { return false }
        }
    }

    /// The size of the largest file, in bytes, where it is known to be small: FAT has no larger ones than 4 GiB less a
    /// byte. It can't be tried: some file systems would write all of it.
    package static func largestFile(at path: FilePath) -> Int64? {
        // MSDOS_SUPER_MAGIC (statfs(2)).
        path.withCString { cf_file_system_type($0) } == 0x4D44 ? 0xFFFF_FFFF : nil
    }

    /// Owner and permission bits of the entry at a path, a link itself if it is one; nil if there is none.
    package static func permissions(of path: FilePath) -> (owner: UInt32, mode: UInt16)? {
        var facts = stat()
        guard path.withPlatformString({ lstat($0, &facts) }) == 0 else { return nil }
        return (facts.st_uid, UInt16(facts.st_mode & 0o7777))
    }

    /// Whether this account may write the entry at a path, including read-only file systems.
    package static func isWritable(_ path: FilePath) -> Bool { path.withPlatformString { access($0, W_OK) } == 0 }

    /// This process's account.
    package static var account: UInt32 { geteuid() }
}
