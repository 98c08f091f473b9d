package import DownloadStore
package import MediaLibrary

/// The moves that a killed run recorded and didn't finish, for readers that don't complete them.
package struct InterruptedMoves {
    private let plans: [MovePlan]

    package init(_ store: DownloadStore) throws {
        plans = MovePlan.plans(
            recorded: try store.moves.recorded().map { PlannedMove(id: $0.id, from: $0.from, to: $0.to) })
    }

    /// The current places of files, by the state's paths.
    package func places(in library: LibraryFolder) throws -> [String: String] {
        try plans.reduce(into: [:]) { places, plan in
            places.merge(try library.moves.whereabouts(of: plan), uniquingKeysWith: { first, _ in first })
        }
    }

    /// Complete files in `moving/` without a recorded move: somebody restored an older state.
    package func stranded(in library: LibraryFolder) throws -> [String] { try library.stranded.files(besides: plans) }
}
