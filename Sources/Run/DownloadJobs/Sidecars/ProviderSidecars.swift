package import DownloadStore
package import Foundation
package import SyncFacts

/// A provider's sidecars of a video, compared with the state.
package struct ProviderSidecars {
    /// The sidecars to download now.
    package var wantedSidecars: [WantedSidecar]
    /// Consecutive runs in which each of them failed.
    package private(set) var failedRuns: [SidecarName: Int] = [:]
    /// The changes to the rows.
    package private(set) var changes: [SidecarChange] = []

    /// - Parameters:
    ///   - wantedSidecars: all that it names.
    ///   - catalogs: those named by the catalog, which the provider doesn't know.
    ///   - files: stored sidecars, as recorded.
    ///   - open: missing sidecars, as recorded.
    ///   - isLost: whether a file is certainly missing.
    package init(
        _ wantedSidecars: [WantedSidecar], of id: DownloadID, catalogs: [WantedSidecar] = [],
        files: [SidecarRecord] = [],
        open: [MissingSidecar] = [], at now: Date, isLost: (SidecarRecord) -> Bool = { _ in false }
    ) {
        let known = Dictionary(open.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let names = wantedSidecars.compactMap(\.rowName)
        let others = catalogs.compactMap(\.rowName).filter { known[$0] != nil }
        self.wantedSidecars = []
        for var sidecar in wantedSidecars {
            guard let name = sidecar.rowName else { continue }
            if let row = known[name] {
                guard row.isDue(at: now) else { continue }
                failedRuns[name] = row.failedRuns
            } else if let file = files.first(where: { $0.key == name }) {
                guard isLost(file) else { continue }
                changes.append(.lost(file))
            }
            sidecar.replace(one: files)
            self.wantedSidecars.append(sidecar)
        }
        let there = Set(files.map(\.key)).union(known.keys)
        let stays = Set(names + others)
        if names.contains(where: { !there.contains($0) }) || known.keys.contains(where: { !stays.contains($0) }) {
            changes.append(.named(id, names + others))
        }
    }
}
