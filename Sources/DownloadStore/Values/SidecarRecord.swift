package import FileSystem

/// A file without which a video isn't whole, on its way to its place.
package struct PartRecord: Sendable, Equatable {
    /// What it will be.
    package var file: SidecarRecord
    /// The file name of its partial.
    package var partial: String
    /// Nil where none was computed.
    package var sha256: Checksum?

    package init(file: SidecarRecord, partial: String, sha256: Checksum?) {
        self.file = file
        self.partial = partial
        self.sha256 = sha256
    }
}

/// A file that came along with a video.
package struct SidecarRecord: Sendable, Equatable {
    /// What came along.
    package enum Kind: String, Sendable {
        case cover, subtitle, attachment
        /// A part of the video itself: separate sound, or a playlist of its package.
        case stream
        /// No file: nobody has asked the provider yet what comes along with this video.
        case unasked
    }

    /// The download that it came along with.
    package var download: DownloadID
    /// What it is.
    package var kind: Kind
    /// Language or title, made unique within the kind.
    package var name: String
    /// Relative to the library.
    package var path: String
    /// In bytes.
    package var size: Int64
    /// In ns since 1970.
    package var modified: Int64

    package init(download: DownloadID, kind: Kind, name: String, path: String, size: Int64, modified: Int64) {
        self.download = download
        self.kind = kind
        self.name = name
        self.path = path
        self.size = size
        self.modified = modified
    }
}
