/// The kind of a download, by which its bytes come: one word in its row. The type of that kind defines its meaning.
package struct DownloadKind: RawRepresentable, Sendable, Hashable {
    /// The word in the state.
    package var rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// One file of its host, or one that was linked or copied from another download's.
    package static let file = DownloadKind(rawValue: "file")
    /// Segments that are joined.
    package static let stream = DownloadKind(rawValue: "stream")
    /// A file and its tracks, which are made into one.
    package static let tracks = DownloadKind(rawValue: "tracks")
    /// Several pictures of one video, each of one of the other kinds.
    package static let views = DownloadKind(rawValue: "views")
}
