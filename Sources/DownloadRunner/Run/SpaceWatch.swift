import CourseCatalog
import DownloadStore
import FileSystem
import MediaLibrary
import RunSchedule
import Synchronization

/// How much is free on the disk of the partials, and the rule about it.
struct SpaceWatch: Sendable {
    let rule: FreeSpaceGuard
    /// Bytes; nil if it can't be told.
    let free: @Sendable () -> Int64?

    /// That something doesn't fit.
    func error(_ free: Int64, root: String) -> DownloadError {
        DownloadError(
            kind: .disk,
            message: """
                \(Self.size(free)) are free on the disk of \(root), --min-free-space wants \(Self.size(rule.floor)): what \
                doesn't fit waits for room
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

/// What a download takes on the disk while it is made.
extension RunServices {
    /// As ``Schedule`` knows it.
    func scheduled(_ wanted: WantedDownload) -> ScheduledDownload {
        var size = wanted.video.size ?? wanted.resume?.total
        if let kind = wanted.resume?.kind { size = size.map { kind.type.room(for: $0, self) } }
        return ScheduledDownload(
            id: wanted.id, priority: wanted.priority, ordinal: wanted.ordinal, provider: wanted.provider,
            retryAt: wanted.retryAt, failedRuns: wanted.failedRuns, size: size,
            written: wanted.resume?.durableBytes ?? 0,
            bytes: wanted.bytes(ignoresCourse: providers.ignoresCourse(wanted.provider)), donor: wanted.donor)
    }

    /// How far a turn is.
    func measure(_ job: DownloadJob) -> Schedule.Measure {
        let space = job.space
        return Schedule.Measure(id: job.id, size: space.size, written: space.written)
    }
}
