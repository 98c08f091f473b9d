import CourseCatalog
package import DownloadStore
import MediaLibrary
package import SyncFacts
import Synchronization

/// Adds downloads of this run's catalogs to the run: resumed and retried ones.
///
/// Only of courses that the run has compared, and doesn't hold: the row of another one may have bytes of a source that
/// the catalog no longer names, or a file on a disk that isn't there.
package final class RevivedDownloads: Sendable {
    /// The courses of a comparison.
    private struct Scope {
        var compared: ComparedCourses
        var held: Set<String>
    }

    private struct State {
        var entries: CatalogEntries
        /// Those of layouts, by the entry's number.
        let viewNames: [Int: ViewNames]
        var scopes: [Scope]
    }

    private let state: Mutex<State>
    private let only: [Selector]

    init(
        _ entries: sending CatalogEntries, _ viewNames: [Int: ViewNames], only: [Selector],
        of compared: ComparedCourses, without held: Set<String>
    ) {
        state = Mutex(
            State(entries: entries, viewNames: viewNames, scopes: [Scope(compared: compared, held: held)]))
        self.only = only
    }

    /// Also takes up downloads of courses that an earlier comparison of the run has judged.
    func follow(_ earlier: RevivedDownloads?) {
        guard let scopes = earlier?.state.withLock({ $0.scopes }) else { return }
        state.withLock { $0.scopes += scopes }
    }

    /// The facts that the run needs for it; nil if it isn't in this run's catalogs or selection, or has to be compared
    /// first.
    package func wanted(_ record: DownloadRecord) -> WantedDownload? {
        state.withLock { state in
            let course = record.key.course
            guard state.scopes.contains(where: { $0.compared.contains(course) && !$0.held.contains(course) }),
                let number = state.entries.find(record.key)
            else { return nil }
            let reference = state.entries.reference(state.entries.slots[number])
            guard only.isEmpty || only.contains(where: { $0.matches(reference) }) else { return nil }
            var wanted = state.entries.wanted(number, record.id, stem: record.catalog.stem)
            guard record.catalog.source == wanted.source, record.catalog.provider == wanted.provider else { return nil }
            wanted.viewNames = state.viewNames[number] ?? .standard
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
