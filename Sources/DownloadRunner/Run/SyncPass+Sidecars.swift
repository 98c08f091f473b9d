package import CourseCatalog
package import DownloadStore
import RunSchedule
package import SyncFacts

/// What a run says at its end of what isn't there beside videos.
extension SyncPass {
    /// What is still wanted is work for the next run; what failed and will be tried again is a failure, as of a video. What was
    /// given up is one in the run that did so: nothing wants it any more.
    func noteSidecars(
        _ summary: inout SyncSummary, _ catalog: Catalog, only: [Selector], _ result: Dispatcher.Result
    ) throws(StoreError) {
        if result.tally.hasGivenUpSidecars { summary.conditions.insert(.downloadsFailed) }
        for (sidecar, provider) in try SyncRun.openSidecars(open.store, catalog, only: only) {
            switch sidecar.state {
            case .wanted:
                summary.sidecarsWanted += 1
                // A login is what is missing, or its time has not come.
                let isWaiting =
                    result.tally.providersToLogIn.contains(provider) || result.tally.notReady.contains(sidecar.download)
                if !isWaiting { summary.conditions.insert(.workLeft) }
            case .failed:
                summary.sidecarsFailed += 1
                guard sidecar.retryAt != nil else { continue }
                summary.conditions.insert(.downloadsFailed)
                if !result.tally.withFailedSidecars.contains(sidecar.download) { summary.hasOlderFailures = true }
            }
        }
    }
}

extension SyncRun {
    /// What isn't there beside videos of a run's catalogs and selection, each with the video's provider.
    package static func openSidecars(
        _ store: DownloadStore, _ catalog: Catalog, only: [Selector]
    ) throws(StoreError) -> [(sidecar: OpenSidecar, provider: String)] {
        let open = try store.sidecars.open()
        guard !open.isEmpty else { return [] }
        let courses = Set(catalog.courses.map(\.id))
        let records = try store.downloads.records(Array(Set(open.map(\.download))))
        let judged = Dictionary(
            records.filter { record in
                let reference = VideoReference(record)
                return !record.isGone && courses.contains(record.key.course)
                    && (only.isEmpty || only.contains { $0.matches(reference) })
            }.map { ($0.id, $0.catalog.provider) }, uniquingKeysWith: { first, _ in first })
        return open.compactMap { sidecar in judged[sidecar.download].map { (sidecar, $0) } }
    }
}
