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

    /// The current places of files that an interrupted run was moving, by the state's paths. For readers that don't
    /// complete the moves.
    package static func moved(_ store: DownloadStore, _ library: LibraryFolder) throws -> [String: String] {
        try plans(store).reduce(into: [:]) { places, plan in
            places.merge(try library.moves.whereabouts(of: plan), uniquingKeysWith: { first, _ in first })
        }
    }

    /// Complete files in `moving/` without a recorded move: somebody restored an older state.
    package static func stranded(_ store: DownloadStore, _ library: LibraryFolder) throws -> [String] {
        try library.stranded.files(besides: try plans(store))
    }

    /// The moves that an interrupted run recorded and didn't finish.
    private static func plans(_ store: DownloadStore) throws -> [MovePlan] {
        MovePlan.plans(recorded: try store.moves.recorded().map { PlannedMove(id: $0.id, from: $0.from, to: $0.to) })
    }
}
