import CourseCatalog
import DownloadJobs
import DownloadStore
import RunSchedule
import SyncFacts

/// What the schedule knows of a download.
extension RunServices {
    /// The download in the form of ``Schedule``.
    func scheduled(_ wanted: WantedDownload) -> ScheduledDownload {
        var size = wanted.video.size ?? wanted.resume?.total
        if let kind = wanted.resume?.kind { size = size.map { kind.type.spaceNeeded(for: $0, self) } }
        return ScheduledDownload(
            id: wanted.id, priority: wanted.priority, ordinal: wanted.ordinal, provider: wanted.provider,
            server: LoginServer(wanted.video.settings, in: providers.serverParameter(of: wanted.provider))?.description,
            retryAt: wanted.retryAt,
            failedRuns: wanted.failedRuns, isListed: wanted.video.isListed, size: size,
            written: wanted.resume?.heldBytes ?? 0,
            bytes: wanted.bytes(ignoresCourse: providers.ignoresCourse(wanted.provider)), donor: wanted.donor)
    }

    /// The same for a finished video whose provider is to be asked for its sidecars.
    func question(_ wanted: WantedDownload) -> ScheduledDownload {
        var download = scheduled(wanted)
        download.purpose = .sidecars
        download.retryAt = nil
        download.size = nil
        download.written = 0
        download.donor = nil
        return download
    }

    /// The progress of a turn.
    func measure(_ job: DownloadJob) -> Schedule.Measure {
        let space = job.space
        return Schedule.Measure(id: job.id, size: space.size, written: space.written)
    }
}
