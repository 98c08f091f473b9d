import CPlatform
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What can be told of the file system that holds a path, or the nearest folder above it that exists.
package enum VolumeFacts {
    /// Bytes that this account may still write; nil where that can't be told.
    package static func freeSpace(at path: FilePath) -> Int64? {
        var place = path
        while true {
            var facts = statvfs()
            if place.withPlatformString({ statvfs($0, &facts) }) == 0 {
                let (bytes, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
                return overflow ? .max : Int64(clamping: bytes)
            }
            guard place.removeLastComponent() else { return nil }
        }
    }

    /// Whether nothing can be written there, whoever asks: the file system is mounted so.
    package static func isReadOnly(_ path: FilePath) -> Bool {
        var facts = statvfs()
        // ST_RDONLY (statvfs(3)).
        return path.withPlatformString { statvfs($0, &facts) } == 0 && UInt64(facts.f_flag) & 1 != 0
    }

    /// Whether it lives in memory, so that nothing is left after a restart.
    package static func isInMemory(_ path: FilePath) -> Bool {
        var place = path
        while true {
            let number = place.withCString { cf_file_system_type($0) }
            // tmpfs and ramfs (statfs(2)).
            if number >= 0 { return [0x0102_1994, 0x8584_58F6].contains(UInt32(truncatingIfNeeded: number)) }
            guard place.removeLastComponent() else { return false }
        }
    }

    /// Owner and permission bits of what is at a path, a link itself if it is one; nil if nothing does.
    package static func permissions(of path: FilePath) -> (owner: UInt32, mode: UInt16)? {
        var facts = stat()
        guard path.withPlatformString({ lstat($0, &facts) }) == 0 else { return nil }
        return (facts.st_uid, UInt16(facts.st_mode & 0o7777))
    }

    /// Whether this account may write what is at a path, the read-only file system counted.
    package static func isWritable(_ path: FilePath) -> Bool { path.withPlatformString { access($0, W_OK) } == 0 }

    /// This process's account.
    package static var account: UInt32 { geteuid() }
}
