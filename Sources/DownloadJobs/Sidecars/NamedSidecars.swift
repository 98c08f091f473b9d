package import DownloadStore
package import Foundation

/// What a provider names beside a video, held against what the state knows of it.
package struct NamedSidecars {
    /// What is to be fetched now.
    package var wantedSidecars: [WantedSidecar]
    /// Runs in a row in which one of them failed.
    package private(set) var failedRuns: [SidecarName: Int] = [:]
    /// What the rows have to say.
    package private(set) var changes: [SidecarChange] = []

    /// - Parameters:
    ///   - wantedSidecars: all that it names.
    ///   - catalogs: what the catalog names, which the provider doesn't speak of.
    ///   - files: what came along, as recorded.
    ///   - open: what isn't there, as recorded.
    ///   - isLost: whether a file is certainly not there any more.
    package init(
        _ wantedSidecars: [WantedSidecar], of id: DownloadID, catalogs: [WantedSidecar] = [],
        files: [SidecarRecord] = [],
        open: [OpenSidecar] = [], at now: Date, isLost: (SidecarRecord) -> Bool = { _ in false }
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
