extension Playlist {
    /// Whether nothing of it can be missing. Only then it counts as an answer.
    ///
    /// A body that was framed (its Content-Length, or the last chunk, has come) is whole. One that ended with its connection
    /// may have been cut anywhere: it is whole if the end mark is behind all of its segments. Nothing else proves
    /// it, an EXT-X-PLAYLIST-TYPE of VOD neither, and a master playlist has no end mark.
    func isWhole(isFramed: Bool) -> Bool {
        if isFramed { return true }
        guard case .media(let playlist) = self else { return false }
        return playlist.endsWithMark
    }
}

/// Whether a stream can be downloaded at all, before anything of it is.
extension MasterPlaylist {
    /// Throws ``StreamRefusal/drm(system:)`` or ``StreamRefusal/unsupported(reason:)`` for session keys of which none is
    /// a key of the `identity` format for AES-128. The keys of the media playlists are looked at by
    /// ``MediaPlaylist/check()``; a playlist without session keys says nothing about them.
    package func check() throws(StreamRefusal) { _ = try SegmentKeys(sessionKeys) }
}

extension MediaPlaylist {
    /// Throws what keeps the stream from being downloaded, the most lasting reason first: protection, what isn't
    /// supported, a playlist that isn't complete yet, one that is and has no segments.
    ///
    /// A playlist that is whole (see ``Playlist/isWhole(isFramed:)``) grows no more with EXT-X-ENDLIST, or if its type is VOD
    /// (RFC 8216 §6.3.4).
    package func check() throws(StreamRefusal) {
        var checked: [PlaylistKey] = []
        for segment in segments where segment.keys != checked {
            checked = segment.keys
            _ = try SegmentKeys(checked)
        }
        // A map that no segment uses doesn't count.
        var map: Int?
        for segment in segments where segment.map != map {
            map = segment.map
            if let map { _ = try SegmentKeys(maps[map].keys) }
        }
        if isIFramesOnly { throw .unsupported(reason: "the playlist has only single pictures") }
        if hasSkippedSegments { throw .unsupported(reason: "the playlist leaves segments out") }
        guard hasEnd || kind == .vod else { throw .notReady }
        if segments.isEmpty { throw .empty }
    }
}
