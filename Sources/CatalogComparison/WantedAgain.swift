import CourseCatalog
package import DownloadStore
package import SyncFacts
import Synchronization

/// Adds downloads of this run's catalogs to the run: resumed and retried ones.
package final class WantedAgain: Sendable {
    private let entries: Mutex<CatalogEntries>
    private let only: [Selector]

    init(_ entries: consuming sending CatalogEntries, only: [Selector]) {
        self.entries = Mutex(entries)
        self.only = only
    }

    /// The facts that the run needs for it; nil if it isn't in this run's catalogs or selection.
    package func wanted(_ record: DownloadRecord) -> WantedDownload? {
        entries.withLock { entries in
            guard let number = entries.find(record.key) else { return nil }
            guard only.isEmpty || only.contains(where: { $0.matches(entries.reference(entries.slots[number])) }) else {
                return nil
            }
            var wanted = entries.wanted(number, record.id, stem: record.catalog.stem)
            wanted.priority = record.priority
            wanted.resume = record.durableBytes > 0 ? ResumeRecord(record) : nil
            wanted.oldFile = record.file
            wanted.retryAt = record.retryAt
            wanted.failedRuns = record.failedRuns
            wanted.isNew = false
            if record.storedExtras == wanted.extras { wanted.extras = nil }
            return wanted
        }
    }
}
