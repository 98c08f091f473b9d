package import DownloadStore
import ProviderKit

extension DownloadKind {
    /// All kinds there are.
    static let types: [any MediaDownload.Type] = [
        FileDownload.self, StreamDownload.self, TracksDownload.self, ViewsDownload.self,
    ]

    /// The type for downloads of this kind. An unknown kind, of a later version or a damaged row, counts as a file.
    package var type: any MediaDownload.Type { Self.types.first { $0.kind == self } ?? FileDownload.self }

    /// The type for the media of an answer.
    static func type(for resolution: Resolution) -> any MediaDownload.Type {
        guard resolution.streams.isEmpty else { return ViewsDownload.self }
        guard resolution.tracks.isEmpty else { return TracksDownload.self }
        return types.first { $0.answers.contains(resolution.kind) } ?? FileDownload.self
    }
}
