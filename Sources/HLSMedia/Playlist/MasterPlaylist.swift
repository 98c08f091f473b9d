import MediaTransfer

/// The streams to choose from (RFC 8216 §4.3.4). Playlists of single pictures are left out.
package struct MasterPlaylist: Sendable, Equatable, RedactedInPrint {
    /// In the order of the playlist; never empty in one that was parsed.
    package var variants: [Variant] = []
    /// In the order of the playlist.
    package var renditions: [Rendition] = []
    /// Keys that the media playlists are going to name.
    package var sessionKeys: [PlaylistKey] = []
    /// What media playlists may import.
    package var variables: [String: String] = [:]
    /// The version of the protocol; nil where the playlist doesn't say.
    package var version: Int64?

    package init() {}
}
