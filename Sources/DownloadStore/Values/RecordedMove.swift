/// A file or folder that has to be somewhere else; recorded before the first rename.
package struct RecordedMove: Sendable, Equatable {
    /// Whose path it changes.
    package enum Owner: Sendable, Hashable, Codable {
        case download(DownloadID)
        case sidecar(download: DownloadID, kind: String, name: String)
        case course(String)
        case chapter(course: String, chapter: String)
    }

    /// Its id.
    package var id: String
    /// Where it is.
    package var from: String
    /// Where it belongs.
    package var to: String
    /// Whose path it changes.
    package var owner: Owner

    package init(id: String, from: String, to: String, owner: Owner) {
        self.id = id
        self.from = from
        self.to = to
        self.owner = owner
    }
}
