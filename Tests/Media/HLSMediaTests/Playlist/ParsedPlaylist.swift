import HLSMedia
import Testing

/// Reads text as a playlist of one kind.
enum ParsedPlaylist {
    static func media(_ text: String, url: String? = nil, imports: [String: String] = [:]) throws -> MediaPlaylist {
        guard case .media(let playlist) = try Playlist.parse(Array(text.utf8), url: url, imports: imports) else {
            throw OtherKind()
        }
        return playlist
    }

    static func master(_ text: String, url: String? = nil) throws -> MasterPlaylist {
        guard case .master(let playlist) = try Playlist.parse(Array(text.utf8), url: url) else { throw OtherKind() }
        return playlist
    }

    /// A media playlist with `lines` between its head and its end.
    static func media(lines: String..., head: String = "#EXT-X-TARGETDURATION:4") throws -> MediaPlaylist {
        try media("#EXTM3U\n\(head)\n" + lines.joined(separator: "\n") + "\n#EXT-X-ENDLIST\n")
    }

    struct OtherKind: Error {}
}
