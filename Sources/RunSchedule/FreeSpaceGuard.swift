package import DownloadStore

/// Keeps a part of a disk free: decides which downloads there is room for, counting what those that are under way still
/// need.
package struct FreeSpaceGuard: Sendable, Hashable {
    /// Bytes that stay free.
    package let floor: Int64

    package init(floor: Int64) { self.floor = floor }

    /// What a download under way will still write; 0 where its size isn't known.
    package struct Need: Sendable, Hashable {
        package var id: DownloadID
        package var bytes: Int64

        package init(id: DownloadID, size: Int64?, written: Int64) {
            self.id = id
            bytes = ByteCount(size ?? 0).remaining(after: ByteCount(written)).value
        }
    }

    /// What has to happen while downloads are under way.
    package enum Verdict: Sendable, Equatable {
        case goOn
        /// There won't be room for these; the others have it.
        case suspend([DownloadID])
        /// The floor is reached: nothing may be written any more.
        case stop
    }

    /// Whether one more may begin, with `free` bytes on the disk and `others` under way.
    package func hasRoom(for need: Need, beside others: [Need], free: Int64) -> Bool {
        free >= floor && free - floor - others.byteCount(\.bytes).value >= need.bytes
    }

    /// What follows from `free` bytes on the disk for those under way, the most important first.
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
