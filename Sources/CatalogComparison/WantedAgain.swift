import CourseCatalog
package import DownloadStore
package import SyncFacts
import Synchronization

/// Makes downloads of this run's catalogs wanted again that were not, or not any more: resumed and retried ones.
package final class WantedAgain: Sendable {
    private let entries: Mutex<CatalogEntries>
    private let only: [Selector]

    init(_ entries: consuming sending CatalogEntries, only: [Selector]) {
        self.entries = Mutex(entries)
        self.only = only
    }

    /// What the run needs to bring it in; nil if this run's catalogs don't have it, or not in the selection.
    package func wanted(_ record: DownloadRecord) -> WantedDownload? {
        entries.withLock { entries in
            guard let number = entries.find(record.key) else { return nil }
            let slot = entries.slots[number]
            let reference = entries.reference(slot)
            guard only.isEmpty || only.contains(where: { $0.matches(reference) }) else { return nil }
            let video = entries.video(slot)
            let extras = CatalogEntries.extras(video)
            return WantedDownload(
                id: record.id, reference: reference, video: video, courseTitle: entries.course(slot).title,
                writtenCourse: entries.course(slot).writtenID, writtenChapter: entries.chapter(slot)?.writtenID,
                chapterTitle: entries.chapter(slot)?.title, source: entries.source(video), priority: record.priority,
                ordinal: Int64(number), stem: record.catalog.stem,
                resume: record.durableBytes > 0 ? ResumeRecord(record) : nil, oldFile: record.file, donor: nil,
                retryAt: record.retryAt, failedRuns: record.failedRuns, isNew: false, isNotReady: false,
                extras: record.storedExtras == extras ? nil : extras)
        }
    }
}
