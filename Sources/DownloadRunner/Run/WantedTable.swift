import CatalogComparison
import DownloadStore
import SyncFacts

/// A run's wanted downloads, by id. A plan may have 100,000 downloads of nearly a kilobyte each: they stay in the
/// plan's arrays, and this knows their indices.
struct WantedTable {
    private let wanted: [WantedDownload]
    private let asked: [WantedDownload]
    /// In `wanted`, and from its end on in `asked`.
    private var places: [DownloadID: Int]
    /// Those that the catalog or a command has changed since.
    private var changed: [DownloadID: WantedDownload] = [:]

    init(_ plan: Reconciliation) {
        wanted = plan.wanted
        asked = plan.asked
        places = Dictionary(minimumCapacity: wanted.count + asked.count)
        for (place, download) in wanted.enumerated() where places[download.id] == nil { places[download.id] = place }
        for (place, download) in asked.enumerated() where places[download.id] == nil {
            places[download.id] = wanted.count + place
        }
    }

    subscript(id: DownloadID) -> WantedDownload? {
        get {
            if !changed.isEmpty, let download = changed[id] { return download }
            guard let place = places[id] else { return nil }
            return place < wanted.count ? wanted[place] : asked[place - wanted.count]
        }
        set { changed[id] = newValue }
    }
}
