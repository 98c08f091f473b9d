import CatalogComparison
import DownloadStore
import FileSystem
import Foundation
import MigrationSources
import RunAccess
import SyncFacts

/// Counts the results of a migration's records, and reports them and the progress. For one thread.
final class MigrationCounter {
    private static let interval = 0.2

    var summary: MigrationSummary
    private let observe: (MigrationEvent) -> Void
    private var progress = MigrationProgress()
    private var told = Date.distantPast

    init(_ summary: MigrationSummary, observe: @escaping (MigrationEvent) -> Void) {
        self.summary = summary
        self.observe = observe
    }

    /// Whether the comparison with the catalogs has no errors; they are in the summary otherwise.
    func accepts(_ plan: Reconciliation) -> Bool {
        guard !plan.errors.isEmpty else { return true }
        summary.conditions.insert(.invalidCatalog)
        summary.mistakes = plan.errors
        return false
    }

    /// Counts all records and their bytes, for the progress.
    ///
    /// - Parameter copies: whether bytes are copied, so that they count.
    func count(_ records: [SourceRecord], of source: OpenSource, journal: [Data: MigrationEntry], copies: Bool) {
        // A folder that can't be read is its records' problem.
        if source.place.file == nil { summary.hasUnreadNames = (try? source.place.walk { _ in }) == false }
        progress.allRecords = records.count
        guard copies else { return }
        for record in records where journal[OpenSource.digest(record)]?.code.isIn != true {
            for path in record.file?.pieces ?? [] where source.isOutside(path) {
                // One that can't be read is its record's problem, too.
                let size = (try? source.place.facts(of: path))??.size ?? 0
                progress.allBytes = (ByteCount(progress.allBytes) + ByteCount(size)).value
            }
        }
    }

    func note(_ result: MigratedRecord) {
        summary.counts[result.code, default: 0] += 1
        if result.isEarlier {
            summary.earlier += 1
        } else {
            summary.bytes = (ByteCount(summary.bytes) + ByteCount(result.bytes)).value
        }
        if result.isQueued, result.code == .added, !result.isEarlier { summary.queued += 1 }
        progress.records += 1
        observe(.record(result))
        tell(progress.records == progress.allRecords)
    }

    /// Notes copied bytes.
    func copied(_ bytes: Int64) {
        progress.bytes += bytes
        tell(false)
    }

    private func tell(_ isLast: Bool) {
        let now = Date()
        guard isLast || now.timeIntervalSince(told) >= Self.interval else { return }
        told = now
        observe(.progress(progress))
    }
}
