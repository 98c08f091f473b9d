import CPlatform
package import SystemPackage

/// Whether a folder is on a disk of this machine. On others locks, shared memory and link counts can't be relied on.
package enum FileSystemKind: Sendable, Hashable {
    case local
    /// The name that `mount` shows.
    case network(String)

    /// The file system that holds `path`, or the nearest folder above it that exists; local where that can't be told.
    package static func of(_ path: FilePath) -> FileSystemKind {
        var place = path
        while true {
            let number = place.withCString { cf_file_system_type($0) }
            if number >= 0 { return FileSystemKind(number: UInt32(truncatingIfNeeded: number)) }
            guard place.removeLastComponent() else { return .local }
        }
    }

    /// From statfs(2)'s number.
    init(number: UInt32) {
        self = Self.networks[number].map(FileSystemKind.network) ?? .local
    }

    /// FUSE counts: what is behind it is unknown, and its shared memory often doesn't work.
    private static let networks: [UInt32: String] = [
        0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x6573_5546: "fuse", 0x0102_1997: "9p",
        0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda", 0x564C: "ncp",
        0x0BD0_0BD0: "lustre", 0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x786F_4256: "vboxsf",
    ]
}
