/// Identifies a row of the `downloads` table; also the stem of its partial's file name. Encoded as its number.
package struct DownloadID: RawRepresentable, Sendable, Hashable, Comparable, Codable {
    /// The number in SQLite.
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (a: DownloadID, b: DownloadID) -> Bool { a.rawValue < b.rawValue }
}

/// The identity of a download within one user's state.
package struct DownloadKey: Sendable, Hashable {
    package var course: String
    package var video: String

    /// From any spelling; the key has the normal one.
    package init(course: String, video: String) {
        self.course = Identifier.normalized(course)
        self.video = Identifier.normalized(video)
    }
}
