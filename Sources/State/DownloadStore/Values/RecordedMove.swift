/// A file or folder with a new path; recorded before the first rename.
package struct RecordedMove: Sendable, Equatable {
    /// The owner of the path.
    package enum Owner: Sendable, Hashable, Codable {
        case download(DownloadID)
        case sidecar(download: DownloadID, kind: String, name: String)
        case course(String)
        case chapter(course: String, chapter: String)
    }

    package var id: String
    /// The path from which the file is moved.
    package var from: String
    /// The path to which the file is moved.
    package var to: String
    /// The owner of the path.
    package var owner: Owner

    package init(id: String, from: String, to: String, owner: Owner) {
        self.id = id
        self.from = from
        self.to = to
        self.owner = owner
    }

    /// The download whose file it is, or beside whose file it is; nil for a cover.
    package var download: DownloadID? {
        switch owner {
        case .download(let id), .sidecar(let id, _, _): id
        case .course, .chapter: nil
        }
    }

    /// Whether its new path is that of a file with this stem.
    package func leads(to stem: String) -> Bool {
        // A package beside others of its name has the video's id, too.
        [".", " ["].contains { to.hasPrefix(stem + $0) }
    }
}
