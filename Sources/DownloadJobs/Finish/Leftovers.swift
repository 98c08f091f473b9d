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

    /// Where files are now that an interrupted run had begun to move, by the paths that the state has for them. For who reads
    /// without carrying the moves out.
    package static func moved(_ store: DownloadStore, _ library: LibraryFolder) throws -> [String: String] {
        guard let plan = try plan(store) else { return [:] }
        return try library.moves.whereabouts(of: plan)
    }

    /// Whole files in `moving/` that no recorded move knows: somebody went back to an older state.
    package static func stranded(_ store: DownloadStore, _ library: LibraryFolder) throws -> [String] {
        try library.stranded.files(besides: try plan(store))
    }

    /// The moves that an interrupted run recorded and didn't finish.
    private static func plan(_ store: DownloadStore) throws -> MovePlan? {
        MovePlan(recorded: try store.moves.recorded().map { PlannedMove(id: $0.id, from: $0.from, to: $0.to) })
    }
}
