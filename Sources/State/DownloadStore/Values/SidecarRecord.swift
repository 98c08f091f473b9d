package import FileSystem

/// A file that a video needs, being placed.
package struct PartRecord: Sendable, Equatable {
    /// The record that the part has once it is in place.
    package var file: SidecarRecord
    /// The file name of its partial.
    package var partial: String
    /// Nil if none was computed.
    package var sha256: Checksum?

    package init(file: SidecarRecord, partial: String, sha256: Checksum?) {
        self.file = file
        self.partial = partial
        self.sha256 = sha256
    }
}

/// A sidecar of a video.
package struct SidecarRecord: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case cover, subtitle, attachment
        /// A part of the video itself: separate sound, or a playlist of its package.
        case stream
        /// Not a file: the provider hasn't been asked yet for sidecars of this video.
        case unasked
    }

    package var download: DownloadID
    package var kind: Kind
    /// Language or title, made unique within the kind.
    package var name: String
    /// Relative to the library.
    package var path: String
    /// In bytes.
    package var size: Int64
    /// In ns since 1970.
    package var modified: Int64
    /// Of a part of the video; nil if none was computed.
    package var sha256: Checksum?

    package init(
        download: DownloadID, kind: Kind, name: String, path: String, size: Int64, modified: Int64,
        sha256: Checksum? = nil
    ) {
        self.sha256 = sha256
        self.download = download
        self.kind = kind
        self.name = name
        self.path = path
        self.size = size
        self.modified = modified
    }

    /// The name of what belongs to another view of a video: `presentation: audio`.
    package static func name(_ name: String, ofView role: String) -> String { "\(role): \(name)" }

    /// The name of another view's own file among what belongs to it.
    package static let view = "view"

    /// The role of the view that it is; nil if it isn't one.
    package var viewRole: String? {
        let end = Self.name(Self.view, ofView: "")
        return kind == .stream && name.hasSuffix(end) ? String(name.dropLast(end.count)) : nil
    }
}
