import CPlatform
package import SystemPackage

/// Whether a folder is on a disk of this machine. On others locks, shared memory, notices of changes and link counts
/// are unreliable. The one list for all callers.
package enum FileSystemKind: Sendable, Hashable {
    case local
    /// The name that `mount` shows.
    case network(String)
    /// Not known to be local: treated as if it weren't.
    case unknown(UInt32)

    /// The file system that holds `path`, or its nearest existing parent; local if unknown.
    package static func of(_ path: FilePath) -> FileSystemKind {
        var place = path
        while true {
            let number = place.withCString { cf_file_system_type($0) }
            if number >= 0 { return FileSystemKind(number: UInt32(truncatingIfNeeded: number)) }
            guard place.removeLastComponent() else { return .local }
        }
    }

    /// From statfs(2)'s number.
    package init(number: UInt32) {
        self =
            Self.disks.contains(number)
            ? .local : Self.networks[number].map(FileSystemKind.network) ?? .unknown(number)
    }

    /// The name of one that isn't known to be local; nil for a local one.
    package var name: String? {
        switch self {
        case .local: nil
        case .network(let name): name
        case .unknown(let number): "type 0x\(String(number, radix: 16))"
        }
    }

    /// File systems of a kernel that no other machine writes to.
    private static let disks: Set<UInt32> = [
        // Systems other than Linux report only whether it is local.
        0,
        // ext2 to ext4, XFS, Btrfs, ZFS, F2FS, bcachefs, JFS, ReiserFS, NILFS.
        0xEF53, 0x5846_5342, 0x9123_683E, 0x2FC1_2FC1, 0xF2F5_2010, 0xCA45_1A4E, 0x3153_464A, 0x5265_4973, 0x3434,
        // FAT, exFAT, NTFS by two drivers, HFS, HFS+, UFS, UDF, ISO 9660, SquashFS, EROFS.
        0x4D44, 0x2011_BAB0, 0x5346_544E, 0x7366_746E, 0x4244, 0x482B, 0x0001_1954, 0x1501_3346, 0x9660, 0x7371_7368,
        0xE0F5_E1E2,
        // tmpfs, ramfs, overlayfs, aufs, eCryptfs, UBIFS, JFFS2.
        0x0102_1994, 0x8584_58F6, 0x794C_7630, 0x6175_6673, 0xF15F, 0x2405_1905, 0x72B6,
    ]

    /// FUSE counts: its backend is unknown, and its shared memory often doesn't work.
    private static let networks: [UInt32: String] = [
        0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x6573_5546: "fuse", 0x0102_1997: "9p",
        0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda", 0x564C: "ncp",
        0x0BD0_0BD0: "lustre", 0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x786F_4256: "vboxsf",
    ]
}
