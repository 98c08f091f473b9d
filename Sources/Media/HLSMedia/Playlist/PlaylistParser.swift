import MediaTransfer

/// Reads a playlist line by line and determines its kind.
///
/// A tag of a stream together with one of a segment is an error (RFC 8216 §4.3.3, §4.3.4). General tags of a media
/// playlist are accepted in a master playlist, since some hosts write them there.
struct PlaylistParser: RedactedInPrint {
    private enum Kind { case master, media }

    private var variables: PlaylistVariables
    private var kind: Kind?
    private var master = MasterBuilder()
    private var media = MediaBuilder()
    private var version: Int64?

    init(variables: PlaylistVariables) { self.variables = variables }

    mutating func take(_ line: PlaylistLine) throws(PlaylistError) {
        guard let tag = line.tag else {
            if line.byte(0) != UInt8(ascii: "#") { try takeURI(line) }
            return
        }
        switch tag.name {
        case "EXTINF", "EXT-X-BYTERANGE", "EXT-X-DISCONTINUITY", "EXT-X-KEY", "EXT-X-MAP", "EXT-X-GAP", "EXT-X-SKIP",
            "EXT-X-PROGRAM-DATE-TIME":
            guard kind != .master else { throw line.error("a tag of segments in a master playlist") }
            kind = .media
            try media.takeSegmentTag(tag.name, in: line, value: tag.value, &variables)
        case "EXT-X-STREAM-INF", "EXT-X-MEDIA", "EXT-X-SESSION-KEY", "EXT-X-SESSION-DATA", "EXT-X-I-FRAME-STREAM-INF",
            "EXT-X-CONTENT-STEERING":
            guard kind != .media else { throw line.error("a tag of streams in a media playlist") }
            kind = .master
            try master.takeTag(tag.name, in: line, value: tag.value, &variables)
        case "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE", "EXT-X-PLAYLIST-TYPE",
            "EXT-X-ENDLIST", "EXT-X-I-FRAMES-ONLY":
            try media.takePlaylistTag(tag.name, line, tag.value)
        case "EXT-X-DEFINE": try variables.define(line, tag.value)
        case "EXT-X-VERSION": version = line.integer(tag.value)
        default: break
        }
    }

    private mutating func takeURI(_ line: PlaylistLine) throws(PlaylistError) {
        if kind == .master {
            try master.takeURI(line, &variables)
        } else {
            try media.takeURI(line, &variables)
            kind = .media
        }
    }

    mutating func finish() throws(PlaylistError) -> Playlist {
        switch kind {
        case .master:
            var playlist = try master.finish()
            playlist.variables = variables.values
            playlist.version = version
            return .master(playlist)
        case .media, nil:
            guard kind == .media || media.isMedia else {
                throw PlaylistError(line: 1, message: "the playlist names neither streams nor segments")
            }
            var playlist = try media.finish()
            playlist.version = version
            return .media(playlist)
        }
    }
}
