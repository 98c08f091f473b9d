package import DownloadStore
package import FileSystem
package import MediaLibrary
import SystemPackage

/// Leftovers in a library of unfinished or interrupted work.
package enum Leftovers {
    /// Partials of downloads that are done or unknown, and those of sidecars, which never resume. A running sync uses
    /// the latter: `includingSidecars` false omits them.
    package static func unwantedPartials(
        _ store: DownloadStore, _ library: LibraryFolder, includingSidecars: Bool = true
    ) throws -> [PartialName: FileFacts] {
        let partials = try library.partials.all()
        guard !partials.isEmpty else { return [:] }
        let ids = partials.keys.filter(DownloadKind.keeps).map { DownloadID(rawValue: $0.download) }
        let wanted = Set(
            try store.downloads.records(ids).filter { $0.state.keepsPartial }.map(\.id.rawValue))
        return partials.filter { name, _ in
            DownloadKind.keeps(name) ? !wanted.contains(name.download) : includingSidecars
        }
    }
}
