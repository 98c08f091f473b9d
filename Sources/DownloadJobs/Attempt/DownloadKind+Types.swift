package import DownloadStore
package import MediaLibrary
import ProviderKit

extension DownloadKind {
    /// All kinds there are.
    static let types: [any MediaDownload.Type] = [FileDownload.self, StreamDownload.self]

    /// What brings downloads of this kind. One that no type knows, of a later version or a damaged row, counts as a file.
    package var type: any MediaDownload.Type { Self.types.first { $0.kind == self } ?? FileDownload.self }

    /// What brings the media that an answer leads to.
    static func type(for resolution: Resolution) -> any MediaDownload.Type {
        types.first { $0.answers.contains(resolution.kind) } ?? FileDownload.self
    }

    /// All that a download may leave behind, of whatever kind it is or was; its sidecars' partials aside.
    package static func partials(of download: DownloadID) -> [PartialName] {
        var seen: Set<PartialName> = []
        return types.flatMap { $0.partials(of: download).all }.filter { seen.insert($0).inserted }
    }

    /// Whether a later run goes on with a partial.
    static func keeps(_ name: PartialName) -> Bool {
        types.contains { $0.partials(of: DownloadID(rawValue: name.download)).kept.contains(name) }
    }
}
