import CatalogComparison
import DownloadStore
import SyncFacts

/// A run's wanted downloads, by id. A plan may have 100,000 downloads of nearly a kilobyte each: they stay in its
/// arrays, and this knows their indices.
struct WantedTable {
    /// The arrays of each plan.
    private var parts: [[WantedDownload]] = []
    /// The index of its array, and its place in that.
    private var places: [DownloadID: (part: Int, place: Int)] = [:]
    /// Those that the catalog or a command has changed since.
    private var changed: [DownloadID: WantedDownload] = [:]

    init(_ plan: Reconciliation) { add(plan) }

    /// Adds the downloads of another plan.
    mutating func add(_ plan: Reconciliation) {
        places.reserveCapacity(places.count + plan.wanted.count + plan.asked.count)
        for part in [plan.wanted, plan.asked] where !part.isEmpty {
            for (place, download) in part.enumerated() where places[download.id] == nil {
                places[download.id] = (parts.count, place)
            }
            parts.append(part)
        }
    }

    subscript(id: DownloadID) -> WantedDownload? {
        get {
            if !changed.isEmpty, let download = changed[id] { return download }
            return places[id].map { parts[$0.part][$0.place] }
        }
        set { changed[id] = newValue }
    }
}
