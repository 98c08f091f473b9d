package import DownloadStore
package import MediaLibrary
import ProviderKit

extension DownloadKind {
    /// All kinds there are.
    static let types: [any MediaDownload.Type] = [FileDownload.self, StreamDownload.self]

    /// The type for downloads of this kind. An unknown kind, of a later version or a damaged row, counts as a file.
    package var type: any MediaDownload.Type { Self.types.first { $0.kind == self } ?? FileDownload.self }

    /// The type for the media of an answer.
    static func type(for resolution: Resolution) -> any MediaDownload.Type {
        types.first { $0.answers.contains(resolution.kind) } ?? FileDownload.self
    }

    /// All partials that a download may leave, of any kind; without those of its sidecars.
    package static func partials(of download: DownloadID) -> [PartialName] {
        var seen: Set<PartialName> = []
        return types.flatMap { $0.partials(of: download).all }.filter { seen.insert($0).inserted }
    }

    /// Whether a later run continues a partial.
    static func keeps(_ name: PartialName) -> Bool {
        types.contains { $0.partials(of: DownloadID(rawValue: name.download)).kept.contains(name) }
    }
}
