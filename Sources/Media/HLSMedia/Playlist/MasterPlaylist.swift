import MediaTransfer

/// The streams to choose from (RFC 8216 §4.3.4). Playlists of single pictures are omitted.
package struct MasterPlaylist: Sendable, Equatable, RedactedInPrint {
    /// In the order of the playlist; never empty in a parsed one.
    package var variants: [Variant] = []
    /// In the order of the playlist.
    package var renditions: [Rendition] = []
    /// Keys of the media playlists.
    package var sessionKeys: [PlaylistKey] = []
    /// Variables that media playlists may import.
    package var variables: [String: String] = [:]
    /// The version of the protocol; nil if not given.
    package var version: Int64?

    package init() {}
}
