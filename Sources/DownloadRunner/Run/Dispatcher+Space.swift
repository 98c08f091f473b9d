import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import Synchronization

/// What `--min-free-space` means for the turns.
extension Dispatcher {
    /// Whether there is room on the disk for one more download. One that doesn't fit is suspended, and others may.
    func hasRoom(for wanted: WantedDownload) -> Bool {
        guard let space = services.space, let free = space.free() else { return true }
        // A file that the library has already is linked: it takes nothing.
        var size = isDonorProven(wanted) ? 0 : wanted.video.size ?? wanted.resume?.total
        if let kind = wanted.resume?.kind { size = size.map { kind.type.room(for: $0, services) } }
        let written = jobs[wanted.id]?.progress.bytes ?? wanted.resume?.durableBytes ?? 0
        let need = FreeSpaceGuard.Need(id: wanted.id, size: size, written: written)
        guard !space.rule.hasRoom(for: need, beside: needs, free: free) else { return true }
        noteFullDisk(space, free)
        if free < space.rule.floor {
            queue.add(wanted.entry)
            stop(.disk)
        } else {
            suspend(wanted, jobs[wanted.id], .disk)
        }
        return false
    }

    /// Looks at the disk while downloads are under way: the least important ones end if there won't be room for all, and
    /// all if there is none any more.
    func lookAtSpace() {
        guard stopReason == nil, let space = services.space, let free = space.free() else { return }
        switch space.rule.verdict(needs, free: free) {
        case .goOn: return
        case .stop:
            noteFullDisk(space, free)
            stop(.disk)
        case .suspend(let ids):
            noteFullDisk(space, free)
            for id in ids where withoutRoom.insert(id).inserted { active[id]?.task.cancel() }
        }
    }

    /// What those under way will still write, the most important first. Who is about to end needs nothing.
    private var needs: [FreeSpaceGuard.Need] {
        active.filter { !withoutRoom.contains($0.key) }.values.sorted { $0.job.wanted.entry > $1.job.wanted.entry }
            .map { turn in
                let space = turn.job.space
                return FreeSpaceGuard.Need(id: turn.job.id, size: space.size, written: space.written)
            }
    }

    private func noteFullDisk(_ space: SpaceWatch, _ free: Int64) {
        guard result.diskError == nil else { return }
        result.diskError = DownloadError(
            kind: .disk,
            message: """
                \(Self.size(free)) are free on the disk of \(services.library.root), --min-free-space wants \
                \(Self.size(space.rule.floor)): what doesn't fit waits for room
                """)
    }

    /// In the largest unit that it fills: `65.9 GiB`.
    private static func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let tenths = Int64((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}

/// How much is free on the disk of the partials, and the rule about it.
struct SpaceWatch: Sendable {
    let rule: FreeSpaceGuard
    /// Bytes; nil if it can't be told.
    let free: @Sendable () -> Int64?
}
