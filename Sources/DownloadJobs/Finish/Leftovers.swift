package import DownloadStore
package import FileSystem
package import MediaLibrary
import SystemPackage

/// What unfinished or interrupted work has left in a library and nothing wants any more.
package enum Leftovers {
    /// Partials of downloads that are over or unknown, and those of sidecars, which never resume. While a sync runs the
    /// latter are its own: `includingSidecars` false leaves them out.
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

    /// Whole files in `moving/` that no recorded move knows: somebody went back to an older state.
    package static func stranded(_ store: DownloadStore, _ library: LibraryFolder) throws -> [String] {
        let moves = try store.moves.recorded().map { PlannedMove(id: $0.id, from: $0.from, to: $0.to) }
        return try library.stranded.files(besides: MovePlan(recorded: moves))
    }
}
