import MediaTransfer

/// An HLS playlist parsed into values: the streams that it offers, or the segments of one.
///
/// Lenient about common mistakes of hosts (spaces, letter case of attribute names, missing quotes, unknown tags),
/// strict where a guess would cost data (durations, byte ranges, keys). Related: RFC 8216 §4.
package enum Playlist: Sendable, Equatable, RedactedInPrint {
    /// The streams to choose from (RFC 8216 §4.3.4).
    case master(MasterPlaylist)
    /// The segments of one stream (RFC 8216 §4.3.3).
    case media(MediaPlaylist)

    /// Reads a playlist.
    ///
    /// - Parameters:
    ///   - bytes: As received; at most ``PlaylistLimit/bytes``. A byte order mark, lines that end in LF, CR or CRLF,
    ///     and blank lines and comments before `#EXTM3U` are all accepted.
    ///   - url: The playlist's URL, for `EXT-X-DEFINE:QUERYPARAM`.
    ///   - imports: ``MasterPlaylist/variables`` of the master playlist that names this one, for `EXT-X-DEFINE:IMPORT`.
    package static func parse(
        _ bytes: [UInt8], url: String? = nil, imports: [String: String] = [:]
    ) throws(PlaylistError) -> Playlist {
        guard bytes.count <= PlaylistLimit.bytes else {
            throw PlaylistError(line: 1, message: "the playlist is larger than 16 MiB")
        }
        var lines = PlaylistLines(bytes)
        try PlaylistSignature.check(&lines)
        var parser = PlaylistParser(variables: PlaylistVariables(url: url, imports: imports))
        while let line = try lines.next() { try parser.take(line) }
        return try parser.finish()
    }
}
