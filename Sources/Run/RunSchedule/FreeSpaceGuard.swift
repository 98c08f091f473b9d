package import DownloadStore

/// Keeps a part of a disk free: decides which downloads fit, including the remaining needs of active ones.
package struct FreeSpaceGuard: Sendable, Hashable {
    /// Bytes that stay free.
    package let floor: Int64

    package init(floor: Int64) { self.floor = floor }

    /// The bytes that an active download will still write; 0 if its size is unknown.
    package struct Need: Sendable, Hashable {
        package var id: DownloadID
        package var bytes: Int64

        package init(id: DownloadID, size: Int64?, written: Int64) {
            self.id = id
            bytes = ByteCount(size ?? 0).remaining(after: ByteCount(written)).value
        }
    }

    /// The decision about active downloads.
    package enum Verdict: Sendable, Equatable {
        case goOn
        /// These won't fit; the others will.
        case suspend([DownloadID])
        /// The floor is reached: nothing more may be written.
        case stop
    }

    /// Whether one more may begin, with `free` bytes on the disk and what the active `others` will write.
    package func hasSpace(for need: Need, beside others: ByteCount, free: Int64) -> Bool {
        free >= floor && free - floor - others.value >= need.bytes
    }

    /// The decision for active downloads with `free` bytes on the disk, the most important first.
    package func verdict(_ needs: [Need], free: Int64) -> Verdict {
        guard free >= floor else { return .stop }
        var room = free - floor
        var rest: [DownloadID] = []
        for need in needs {
            if need.bytes <= room { room -= need.bytes } else { rest.append(need.id) }
        }
        return rest.isEmpty ? .goOn : .suspend(rest)
    }
}
