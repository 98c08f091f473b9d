import DownloadStore
package import RunAccess
package import SyncFacts

/// The catalogs of earlier syncs that another sync can read.
package enum KnownCatalogs {
    /// Files and addresses, in the order of their courses. Standard input isn't among them, nor is an address with a
    /// query, which isn't stored.
    package static func read(_ location: StateLocation) throws(Refusal) -> [String] {
        guard let store = try location.resolve().openForReading() else { return [] }
        defer { store.close() }
        do throws(StoreError) {
            let courses = try store.catalogs.courses().values.sorted { $0.ordinal < $1.ordinal }
            var files: [String] = []
            for file in courses.map(\.file) where !file.isEmpty && !files.contains(file) {
                switch CatalogAddress(file) {
                case .standardInput: break
                case .web where file.contains(";"): break
                case .web, .file: files.append(file)
                }
            }
            return files
        } catch { throw Refusal(error) }
    }
}
