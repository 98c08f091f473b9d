package import FileSystem
import Foundation

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
    /// Whether the file has to be replaced, since it isn't what was stored.
    package var isToBeReplaced = false

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
        kind == .stream && Self.isView(name) ? Self.viewOfPart(name) : nil
    }

    /// Whether a part's name is that of another view's own file.
    static func isView(_ name: String) -> Bool { name.hasSuffix(Self.name(Self.view, ofView: "")) }

    /// What it is among the files that the video needs; nil for one that it doesn't.
    package var part: PartPath? {
        kind == .stream ? PartPath(path: path, name: name, isToBeReplaced: isToBeReplaced) : nil
    }

    /// The role of the other view that it belongs to; nil for what belongs to the video's own file.
    package var viewOfPart: String? { kind == .stream ? Self.viewOfPart(name) : nil }

    /// The same for the name of a part.
    package static func viewOfPart(_ name: String) -> String? {
        name.range(of: Self.name("", ofView: ""), options: .backwards).map { String(name[..<$0.lowerBound]) }
    }
}
