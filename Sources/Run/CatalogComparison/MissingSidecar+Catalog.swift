package import CourseCatalog
package import DownloadStore
package import SyncFacts

extension MissingSidecar {
    /// The missing sidecars of a run's catalogs and selection.
    package static func all(
        in store: DownloadStore, of catalog: Catalog, only: [Selector]
    ) throws(StoreError) -> [MissingSidecar] {
        let open = try store.sidecars.open()
        guard !open.isEmpty else { return [] }
        let courses = Set(catalog.courses.map(\.id))
        let records = try store.downloads.records(Array(Set(open.map(\.download))))
        let judged = Set(
            records.filter { record in
                let reference = VideoReference(record)
                return !record.isGone && courses.contains(record.key.course)
                    && (only.isEmpty || only.contains { $0.matches(reference) })
            }.map(\.id))
        return open.filter { judged.contains($0.download) }
    }
}
