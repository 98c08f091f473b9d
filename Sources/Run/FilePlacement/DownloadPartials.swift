package import DownloadStore
package import MediaLibrary

/// The partials that a download may leave, without those of its sidecars.
package struct DownloadPartials: Sendable {
    /// Partials that a later run continues.
    package var kept: [PartialName]
    /// Temporary ones, made at the end from the kept ones.
    package var passing: [PartialName] = []

    package var all: [PartialName] { kept + passing }
}

extension DownloadKind {
    /// All kinds of this version.
    package static let all: [DownloadKind] = [.file, .stream, .tracks, .views]

    /// The most views that a video may have.
    package static let mostViews = 6
    /// The most tracks that a file may have.
    package static let mostTracks = 16

    /// The partials of a download of this kind; those of an unknown kind are a file's.
    package func partials(of download: DownloadID) -> DownloadPartials {
        switch self {
        case .stream:
            DownloadPartials(
                kept: (0..<2).flatMap {
                    [.track($0, of: download), .index($0, of: download), .recorded($0, of: download)]
                },
                passing: (0..<2).map { .list($0, of: download) } + (0..<3).map { .playlist($0, of: download) }
                    + [.remuxed(download)])
        case .tracks:
            DownloadPartials(
                kept: (0...Self.mostTracks).map { .track($0, of: download) }, passing: [.remuxed(download)])
        case .views:
            Self.inViews(Self.tracks.partials(of: download), Self.stream.partials(of: download))
        default: DownloadPartials(kept: [PartialName(download: download.rawValue)])
        }
    }

    private static func inViews(_ one: DownloadPartials, _ other: DownloadPartials) -> DownloadPartials {
        func all(_ names: [PartialName]) -> [PartialName] {
            var seen: Set<PartialName> = []
            let own = names.filter { seen.insert($0).inserted }
            return (0..<mostViews).flatMap { view in own.map { $0.inView(view) } }
        }
        return DownloadPartials(kept: all(one.kept + other.kept), passing: all(one.passing + other.passing))
    }

    /// The partials of a download, whatever its kind.
    package static func partials(of download: DownloadID) -> [PartialName] {
        var seen: Set<PartialName> = []
        return all.flatMap { $0.partials(of: download).all }.filter { seen.insert($0).inserted }
    }

    /// Whether a later run continues a partial.
    package static func keeps(_ name: PartialName) -> Bool {
        all.contains { $0.partials(of: DownloadID(rawValue: name.download)).kept.contains(name) }
    }
}
