import CourseCatalog
import DownloadJobs
import DownloadStore
import RunSchedule
import SyncFacts

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

    /// The same of a video that is there, whose provider is to be asked what comes along.
    func question(_ wanted: WantedDownload) -> ScheduledDownload {
        var download = scheduled(wanted)
        download.purpose = .sidecars
        download.retryAt = nil
        download.size = nil
        download.written = 0
        download.donor = nil
        return download
    }

    /// How far a turn is.
    func measure(_ job: DownloadJob) -> Schedule.Measure {
        let space = job.space
        return Schedule.Measure(id: job.id, size: space.size, written: space.written)
    }
}
