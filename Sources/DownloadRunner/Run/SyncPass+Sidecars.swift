package import CourseCatalog
package import DownloadStore
import RunSchedule
package import SyncFacts

/// The missing sidecars in a run's summary.
extension SyncPass {
    /// Wanted sidecars are work for the next run; failed ones that will be retried are failures, as with videos. One
    /// that was given up is a failure only in the run that gave up: nothing wants it any more.
    func noteSidecars(
        _ summary: inout SyncSummary, _ catalog: Catalog, only: [Selector], _ result: Dispatcher.Result
    ) throws(StoreError) {
        if result.tally.hasGivenUpSidecars { summary.conditions.insert(.downloadsFailed) }
        for (sidecar, provider) in try SyncRun.openSidecars(open.store, catalog, only: only) {
            switch sidecar.state {
            case .wanted:
                summary.sidecarsWanted += 1
                // It lacks a login, or its time has not come.
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
    /// The missing sidecars of a run's catalogs and selection, each with the video's provider.
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
