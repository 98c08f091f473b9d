import CatalogComparison
import DownloadStore
import SyncFacts

/// The partials in a run's summary.
extension SyncPass {
    /// If the disk was full: the partials of unfinished downloads, the largest first.
    func notePartials(
        _ summary: inout SyncSummary, _ plan: Reconciliation, _ result: Dispatcher.Result
    ) throws(StoreError) {
        guard result.diskTrouble != nil else { return }
        let left = plan.wanted.map(\.id).filter { result.states[$0] != .finished }
        let records = try open.store.downloads.records(left).filter { $0.durableBytes > 0 }
        summary.partials = records.sorted { ($1.durableBytes, $0.id) < ($0.durableBytes, $1.id) }.map {
            (VideoReference($0), $0.durableBytes)
        }
    }
}
