/// What brings, or has brought, the bytes of a download: one word in its row. What a kind means is its bringer's matter.
package struct DownloadKind: RawRepresentable, Sendable, Hashable {
    /// As the state keeps it.
    package var rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// One file as its host has it, or one that was linked or copied from another download's.
    package static let file = DownloadKind(rawValue: "file")
    /// Segments that are joined.
    package static let stream = DownloadKind(rawValue: "stream")
}
